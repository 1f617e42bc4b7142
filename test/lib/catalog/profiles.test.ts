import { type DynamoDBDocumentClient, type GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentFault } from '../../../lib/catalog/available-agents.ts';
import { importConfig } from '../../../lib/catalog/import-config.ts';
import { ProfileStore, profileOf, profileSchema, secretNames, seedItem } from '../../../lib/catalog/profiles.ts';
import { configDocument } from '../../../lib/contract/schemas/config.ts';
import { registryPage } from '../../../lib/platform/registry-page.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

/** Profiles through a table that shows nothing to eventually consistent reads, and what is read and written. */
function laggingProfiles() {
  const calls: string[] = [];
  const send = async (command: GetCommand | PutCommand) => {
    if (command instanceof PutCommand) {
      calls.push(`put ${command.input.Item?.id}`);
      return await deployment.registry.table.send(command);
    }
    calls.push(command.input.ConsistentRead === true ? 'consistent' : 'eventual');
    return command.input.ConsistentRead === true ? await deployment.registry.table.send(command) : {};
  };
  const table = { send } as unknown as DynamoDBDocumentClient;
  return { calls, profiles: new ProfileStore({ ...deployment.registry, table }) };
}

it('a profile that a read does not show yet is looked for once more, except for a built-in one', async () => {
  await new ProfileStore(deployment.registry).put({ name: 'fresh', agent: 'shell' });
  const { calls, profiles } = laggingProfiles();
  expect(await profiles.get('fresh')).toMatchObject({ name: 'fresh', agent: 'shell' });
  expect(calls.splice(0)).toEqual(['eventual', 'consistent']);
  expect(await profiles.get('claude')).toMatchObject({ name: 'claude', agent: 'claude' });
  expect(calls.splice(0)).toEqual(['eventual']);
  expect(await profiles.get('none', { consistent: true })).toBeUndefined();
  expect(calls.splice(0)).toEqual(['consistent']);
  expect(await profiles.get('none')).toBeUndefined();
});

it('a stored profile applies rather than the built-in one of its name', async () => {
  const profiles = new ProfileStore(deployment.registry);
  await profiles.put({ name: 'codex', agent: 'shell' });
  for (const consistent of [true, false])
    expect(await profiles.get('codex', { consistent })).toMatchObject({ agent: 'shell' });
});

it('the built-in profiles apply unless one of their name is stored', () => {
  expect(profileOf('codex', undefined)).toMatchObject({ name: 'codex', agent: 'codex', resume: 'auto', tools: 'on' });
  expect(profileOf('claude', undefined)).toMatchObject({ name: 'claude', agent: 'claude' });
  expect(profileOf('other', undefined)).toBeUndefined();
  const own = profileSchema.parse({ name: 'codex', agent: 'shell' });
  expect(profileOf('codex', seedItem(own))).toEqual(own);
});

it('only the first page begins with the built-in profiles, and only with those that nothing replaces', async () => {
  const store = new ProfileStore(deployment.registry);
  for (const name of ['a', 'claude', 'fresh', 'z']) await store.put({ name, agent: 'shell' });
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await store.page({ limit: 2, cursor });
    pages.push(items.map(({ profile }) => `${profile.name} ${profile.agent}`));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined && pages.length < 9);
  expect(pages.flat()).toEqual(['codex codex', 'a shell', 'claude shell', 'fresh shell', 'z shell']);
  expect(pages[0]).toEqual(['codex codex', 'a shell', 'claude shell']);
});

it('a start stores the profile of the deployment beside an imported one, once', async () => {
  const document = configDocument.parse({ profiles: [{ name: 'mine', agent: 'codex' }] });
  await importConfig(deployment.registry, document, { dryRun: false, sandboxes: ['none'] });
  const { calls, profiles } = laggingProfiles();
  await profiles.seed({ name: 'mine', agent: 'shell' });
  await profiles.seed({ name: 'mine', agent: 'shell' });
  expect(calls).toEqual(['consistent', 'put mine', 'consistent']);
  expect(await profiles.get('mine')).toMatchObject({ agent: 'codex' });
});

it('the secrets of a profile are those that its variables name', () => {
  const env = { PLAIN: 'value', KEY: { secret: 'key-of-ours' }, OTHER: { secret: 'other' } };
  expect(secretNames(profileSchema.parse({ name: 'p', agent: 'codex', env }))).toEqual(['key-of-ours', 'other']);
});

it('an agent that the workers do not have is a fault that names those they have', () => {
  expect(agentFault('codex', ['codex', 'claude'])).toBeUndefined();
  expect(agentFault('shell', ['codex', 'claude'])).toMatch(/agent shell is not installed .*have codex, claude/);
});

it('a cursor holds one id that fits a key', async () => {
  for (const name of ['claude', 'mine']) await new ProfileStore(deployment.registry).put({ name, agent: 'shell' });
  const page = async (id: string) => {
    const cursor = Buffer.from(JSON.stringify([id])).toString('base64url');
    return (await registryPage(deployment.registry, 'profile', { limit: 1, cursor })).items.map((item) => item.id);
  };
  expect(await page('fresh')).toEqual(['mine']);
  expect(await page(`ab${'ä'.repeat(511)}`)).toEqual(['claude']);
  for (const wrong of [`abc${'ä'.repeat(511)}`, ''])
    await expect(page(wrong)).rejects.toThrow('give next_cursor of the page');
});
