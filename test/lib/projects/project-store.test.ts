import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProjectStore, projectIdOf, projectKeys, readProject } from '../../../lib/projects/projects.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { repeatingTable } from '../../stand-ins/repeating-table.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('a project that is removed by a delete whose answer was lost is removed once', async () => {
  const { registry } = deployment;
  const project = await new ProjectStore(registry).create('gone');
  const repeating = new ProjectStore({ ...registry, table: repeatingTable(registry.table) });
  expect(await repeating.remove(project.id)).toMatchObject({ id: project.id, name: 'gone' });
  expect(await repeating.remove(project.id)).toBeUndefined();
});

it.each([
  ['alpha', 'alpha'],
  ['0_a-b', '0_a-b'],
  ['a'.repeat(100), 'a'.repeat(100)],
  ['a'.repeat(101), `${'a'.repeat(60)}-`],
  ['_alpha', 'alpha-'],
  ['Team A!', 'team-a-'],
  ['ÄÖ', 'project-'],
])('the id of a project named %s is its name if that is fit, else readable and unlike others', (name, id) => {
  if (projectIdOf(name) !== name) expect(projectIdOf(name)).toMatch(/-[0-9a-f]{10}$/);
  expect(projectIdOf(name).slice(0, id.length)).toBe(id);
  const keys = projectKeys(name).map((key) => key.id);
  expect(keys).toEqual(projectIdOf(name) === name ? [name] : [projectIdOf(name), name]);
});

it('a project is found by its id and its name, and made once', async () => {
  const { registry } = deployment;
  const store = new ProjectStore({ ...registry, clock: { now: () => Date.parse('2026-11-20T10:00:00.000Z') } });
  expect(await store.find('Team B')).toBeUndefined();
  const project = await store.resolve('Team B');
  expect(project).toEqual({ id: projectIdOf('Team B'), name: 'Team B', created_at: '2026-11-20T10:00:00.000Z' });
  const later = new ProjectStore({ ...registry, clock: { now: () => Date.parse('2026-11-21T10:00:00.000Z') } });
  expect(await later.resolve('Team B')).toEqual(project);
  expect(await later.create('Team B')).toEqual(project);
  expect([await later.find('Team B'), await later.find(project.id)]).toEqual([project, project]);
  // As an earlier version made ids of names.
  const Item = { kind: 'project', id: 'Odd id', name: 'Odd id', created_at: 'then' };
  await registry.table.send(new PutCommand({ TableName: registry.registryTable, Item }));
  expect(await later.find('Odd id')).toEqual({ id: 'Odd id', name: 'Odd id', created_at: 'then' });
  expect(readProject(Item)).toEqual({ id: 'Odd id', name: 'Odd id', created_at: 'then' });
  expect(await later.page({ limit: 2 })).toMatchObject({
    items: [
      { id: 'Odd id', settings: {} },
      { ...project, settings: {} },
    ],
  });
});

it('a project that another made at the same time is theirs, or, if it is gone already, ours', async () => {
  const theirs = { id: 'raced', name: 'raced', created_at: 'then' };
  const storeWith = (Item: object | undefined, error: Error) => {
    const send = async (command: unknown) => {
      if (command instanceof GetCommand) return { Item };
      throw error;
    };
    return new ProjectStore({ ...deployment.registry, table: { send } as unknown as DynamoDBDocumentClient });
  };
  const exists = new ConditionalCheckFailedException({ $metadata: {}, message: 'exists' });
  expect(await storeWith(theirs, exists).create('raced')).toEqual(theirs);
  expect(await storeWith(undefined, exists).create('raced')).toMatchObject({ id: 'raced', name: 'raced' });
  const error = new Error('out of reach');
  await expect(storeWith(theirs, error).create('raced')).rejects.toBe(error);
});

it('a project that is not seen yet by an eventually consistent read is removed all the same', async () => {
  const { registry } = deployment;
  const { id } = await new ProjectStore(registry).create('just made');
  const send = async (command: GetCommand) =>
    command instanceof GetCommand && command.input.ConsistentRead !== true ? {} : await registry.table.send(command);
  const store = new ProjectStore({ ...registry, table: { send } as unknown as DynamoDBDocumentClient });
  expect(await store.remove(id)).toMatchObject({ id });
  expect(await new ProjectStore(registry).find(id)).toBeUndefined();
});
