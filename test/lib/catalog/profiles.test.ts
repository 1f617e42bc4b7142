import { type DynamoDBDocumentClient, type GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentFault } from '../../../lib/catalog/available-agents.ts';
import { importConfig } from '../../../lib/catalog/catalog.ts';
import { ProfileStore, profileOf, profileSchema, secretNames, seedItem } from '../../../lib/catalog/profiles.ts';
import { configDocument } from '../../../lib/contract/schemas/config.ts';
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
