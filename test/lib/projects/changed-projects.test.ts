import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { removeProject } from '../../../lib/projects/remove-project.ts';
import { StatsStore } from '../../../lib/stats/counting/stats-store.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { aJob } from '../jobs/a-job.ts';

let deployment: EmulatedDeployment;
let projects: ProjectStore;
beforeAll(async () => {
  deployment = await emulateDeployment();
  projects = new ProjectStore(deployment.registry);
});
afterAll(async () => await deployment.stop());
const remove = async (reference: string, bound: readonly unknown[] = []) => {
  const bindings = { list: async (id: string) => (id === 'busy' ? bound : []) };
  return await removeProject({ registry: deployment.registry, projects, bindings, workspaces: '/work' }, reference);
};

it('a project with jobs or deploy bindings stays, and the refusal counts both', async () => {
  const { id } = await projects.resolve('busy');
  const left = (jobs: number, bindings: number, words: string) => ({
    code: 'invalid_state',
    message: `delete: project busy has ${words}; only an empty project can be deleted`,
    details: { action: 'delete', jobs, bindings, diagrams: 0 },
  });
  await expect(remove('busy', [1])).rejects.toMatchObject(left(0, 1, '0 jobs, 1 deploy binding and 0 diagrams'));
  const changes = (['QUEUED', 'FAILED', 'FAILED'] as const).map((status, at) => ({
    ...{ sequence: String(at + 1), before: undefined },
    after: aJob({ project_id: id, status }),
  }));
  const stats = new StatsStore(deployment.registry);
  await stats.apply('shard', changes.slice(0, 1));
  await expect(remove('busy')).rejects.toMatchObject(left(1, 0, '1 job, 0 deploy bindings and 0 diagrams'));
  await stats.apply('shard', changes);
  await expect(remove('busy', [1, 2])).rejects.toMatchObject(left(3, 2, '3 jobs, 2 deploy bindings and 0 diagrams'));
  expect(await projects.find('busy')).toMatchObject({ id });
});
