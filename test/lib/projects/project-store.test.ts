import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../emulated-deployment.ts';
import { repeatingTable } from '../../repeating-table.ts';

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
