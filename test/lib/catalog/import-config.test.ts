import { BatchGetCommand, type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportConfig } from '../../../lib/catalog/export-config.ts';
import { importConfig } from '../../../lib/catalog/import-config.ts';
import { ProfileStore } from '../../../lib/catalog/profiles.ts';
import { removeProfile, removeRule } from '../../../lib/catalog/remove-entry.ts';
import { RuleStore } from '../../../lib/catalog/rules.ts';
import { configDocument } from '../../../lib/contract/schemas/config.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const rule = (id: string, text = 'Be brief.') => ({ id, name: `Rule ${id}`, text });
const profile = (name: string, model = 'm-1') => ({ name, agent: 'codex', model });

async function importing(document: unknown, { dryRun = false, registry = deployment.registry } = {}) {
  return await importConfig(registry, configDocument.parse(document), { dryRun, sandboxes: ['none'] });
}

/** The registry through a table whose commands a test may answer or look at. */
function through(send: (command: unknown, next: () => Promise<unknown>) => Promise<unknown>) {
  const { registry } = deployment;
  const table = {
    send: async (command: BatchGetCommand) => await send(command, async () => await registry.table.send(command)),
  };
  return { ...registry, table: table as unknown as DynamoDBDocumentClient };
}

function isConsistent(command: unknown): boolean {
  return (command as { readonly input: { readonly ConsistentRead?: boolean } }).input.ConsistentRead === true;
}

it('an import says of each entry whether it is new, different or the same', async () => {
  expect(await importing({ rules: [rule('a'), rule('b')], profiles: [profile('p'), profile('q')] })).toEqual({
    dry_run: false,
    rules: { created: ['a', 'b'], updated: [], unchanged: [] },
    profiles: { created: ['p', 'q'], updated: [], unchanged: [] },
  });
  const next = { rules: [rule('a'), rule('b', 'Be long.'), rule('c')], profiles: [profile('p', 'm-2'), profile('q')] };
  const expected = {
    rules: { created: ['c'], updated: ['b'], unchanged: ['a'] },
    profiles: { created: [], updated: ['p'], unchanged: ['q'] },
  };
  expect(await importing(next, { dryRun: true })).toEqual({ dry_run: true, ...expected });
  const { rules } = await exportConfig(deployment.registry);
  expect(rules?.map(({ id, text }) => [id, text])).toEqual([
    ['a', 'Be brief.'],
    ['b', 'Be brief.'],
  ]);
  expect(await importing(next)).toEqual({ dry_run: false, ...expected });
});

it('only what changes is written, and nothing if nothing does', async () => {
  const written: string[][] = [];
  const registry = through(async (command, next) => {
    if (command instanceof TransactWriteCommand)
      written.push((command.input.TransactItems ?? []).map(({ Put }) => `${Put?.Item?.kind} ${Put?.Item?.id}`));
    return await next();
  });
  await importing({ rules: [rule('one'), rule('two')] }, { registry });
  await importing({ rules: [rule('one'), rule('two')] }, { registry });
  await importing({ rules: [rule('one'), rule('two', 'Be long.')] }, { registry });
  await importing({ rules: [rule('one', 'Be long.')] }, { registry, dryRun: true });
  expect(written).toEqual([
    ['catalog state', 'rule one', 'rule two'],
    ['catalog state', 'rule two'],
  ]);
});

it('an entry of a document is compared with what is stored now, as many as it has and however DynamoDB gives them', async () => {
  const rules = Array.from({ length: 150 }, (_, at) => rule(`many-${at}`));
  await importing({ rules: rules.slice(0, 75) });
  await importing({ rules: rules.slice(75) });
  const asked: unknown[][] = [];
  const inParts = through(async (command, next) => {
    if (!(command instanceof BatchGetCommand)) return await next();
    const [[name, { Keys = [], ConsistentRead }] = ['', {}]] = Object.entries(command.input.RequestItems ?? {});
    asked.push([Keys.length, ConsistentRead]);
    const part = new BatchGetCommand({ RequestItems: { [name]: { Keys: Keys.slice(0, 60), ConsistentRead: true } } });
    const { Responses } = await deployment.registry.table.send(part);
    return { Responses, ...(Keys.length > 60 && { UnprocessedKeys: { [name]: { Keys: Keys.slice(60) } } }) };
  });
  const { rules: answer } = await importing({ rules }, { registry: inParts });
  expect(answer).toEqual({ created: [], updated: [], unchanged: rules.map(({ id }) => id) });
  expect(asked).toEqual([
    [100, true],
    [50, true],
    [40, true],
  ]);
});

it('an imported profile replaces one of the deployment, which applies again when it is removed', async () => {
  const profiles = new ProfileStore(deployment.registry);
  await profiles.seed({ name: 'seeded', agent: 'shell' });
  expect((await importing({ profiles: [profile('seeded')] })).profiles.updated).toEqual(['seeded']);
  // What the deployment brings changes meanwhile.
  await profiles.seed({ name: 'seeded', agent: 'claude' });
  expect(await profiles.get('seeded')).toMatchObject({ agent: 'codex', model: 'm-1' });
  await importing({ profiles: [profile('seeded', 'm-2')] });
  const removal = { defaultProfile: 'practice' };
  expect(await removeProfile(deployment.registry, 'seeded', removal)).toMatchObject({ profile: { model: 'm-2' } });
  expect(await profiles.get('seeded')).toMatchObject({ agent: 'claude' });
  await expect(removeProfile(deployment.registry, 'seeded', removal)).rejects.toThrow('is built in');
});

it('a profile that is the same as one of the deployment is imported nevertheless', async () => {
  const same = { name: 'like', agent: 'shell' } as const;
  await new ProfileStore(deployment.registry).seed(same);
  expect((await importing({ profiles: [same] })).profiles.updated).toEqual(['like']);
  expect((await importing({ profiles: [same] })).profiles.unchanged).toEqual(['like']);
});

it('what is not there cannot be removed, and what is built in neither', async () => {
  const { registry } = deployment;
  const gone = async (name: string) => await removeProfile(registry, name, { defaultProfile: 'practice' });
  await expect(removeRule(registry, 'none')).rejects.toMatchObject({ code: 'not_found' });
  await expect(gone('none')).rejects.toMatchObject({ code: 'not_found' });
  await expect(gone('claude')).rejects.toMatchObject({ code: 'invalid_state' });
  await importing({ rules: [rule('removed')], profiles: [profile('removed')] });
  expect(await removeRule(registry, 'removed')).toMatchObject(rule('removed'));
  expect(await gone('removed')).toMatchObject({ source: 'imported' });
  await expect(removeRule(registry, 'removed')).rejects.toMatchObject({ code: 'not_found' });
  await expect(gone('removed')).rejects.toMatchObject({ code: 'not_found' });
});

it('an export and a removal see what was imported just before', async () => {
  const lagging = through(async (command, next) => {
    return command instanceof TransactWriteCommand || isConsistent(command) ? await next() : {};
  });
  await importing({ rules: [rule('just-now')], profiles: [profile('just-now')] });
  const { rules, profiles } = await exportConfig(lagging);
  expect(rules?.filter(({ id }) => id === 'just-now')).toEqual([rule('just-now')]);
  expect(profiles?.filter(({ name }) => name === 'just-now')).toMatchObject([profile('just-now')]);
  expect(await removeRule(lagging, 'just-now')).toMatchObject(rule('just-now'));
  expect(await removeProfile(lagging, 'just-now', { defaultProfile: 'practice' })).toMatchObject({
    source: 'imported',
  });
});

it('a rule that a read does not show yet is looked for once more, and an id without a rule is named', async () => {
  await new RuleStore(deployment.registry).put(rule('fresh'));
  const reads: unknown[] = [];
  const lagging = through(async (command, next) => {
    reads.push(isConsistent(command));
    return isConsistent(command) ? await next() : {};
  });
  const rules = new RuleStore(lagging);
  expect(await rules.get(['fresh', 'none'])).toEqual({ rules: [rule('fresh')], unknown: ['none'] });
  expect(reads.toSorted()).toEqual([false, false, true, true]);
  reads.length = 0;
  expect(await rules.get(['none', 'fresh'], { consistent: true })).toMatchObject({ unknown: ['none'] });
  expect(reads).toEqual([true, true]);
});
