import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProjectStore, projectIdOf, projectKeys, readProject } from '../../../lib/projects/projects.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

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
