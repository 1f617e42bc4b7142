import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it } from 'vitest';
import { readCatalog } from '../../../../lib/jobs/creation/read-catalog.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

let deployment: QuietDeployment;
beforeEach(async () => {
  deployment = quietDeployment({ lag: 60_000 });
  await deployment.profiles.put({ name: 'old', agent: 'codex' });
  await deployment.rules.put({ id: 'old', name: 'Old', text: 'Be old.' });
  await deployment.projects.create('old');
  await deployment.pass(61_000);
  await deployment.profiles.put({ name: 'new', agent: 'codex' });
  await deployment.rules.put({ id: 'new', name: 'New', text: 'Be new.' });
  await deployment.projects.create('new');
});

it.each([
  { profile: 'new', ruleIds: ['old'], project: 'old' },
  { profile: 'old', ruleIds: ['old', 'new'], project: 'old' },
  { profile: 'old', ruleIds: ['old'], project: 'new' },
])('reads what was written a moment ago: %o', async (references) => {
  expect(await readCatalog(deployment.registry, references)).toMatchObject({
    profile: { name: references.profile },
    rules: references.ruleIds.map((id) => ({ id })),
    unknownRules: [],
    project: { name: references.project },
  });
});

it('what does not exist is reported as unknown, rules in the order of the request', async () => {
  const found = await readCatalog(deployment.registry, {
    profile: 'none',
    ruleIds: ['b', 'new', 'a', 'old'],
    project: 'p',
  });
  expect(found).toEqual({
    profile: undefined,
    rules: [expect.objectContaining({ id: 'new' }), expect.objectContaining({ id: 'old' })],
    unknownRules: ['b', 'a'],
    project: undefined,
  });
});

it('a project is found by its name, else by what is its id', async () => {
  const created_at = '2026-01-01T00:00:00.000Z';
  const Item = { kind: 'project', id: 'Older Id', name: 'older', created_at };
  await deployment.table.send(new PutCommand({ TableName: 'registry', Item }));
  const { id } = await deployment.projects.create('New Name');
  const projectOf = async (project: string) =>
    (await readCatalog(deployment.registry, { profile: 'old', ruleIds: [], project })).project;
  expect(await projectOf('Older Id')).toMatchObject({ name: 'older' });
  expect(await projectOf('New Name')).toMatchObject({ id });
  expect(await projectOf(id)).toMatchObject({ name: 'New Name' });
});
