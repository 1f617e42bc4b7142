import { afterAll, beforeAll, expect, it } from 'vitest';
import { editProject } from '../../../lib/projects/edit-project.ts';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { removeProject } from '../../../lib/projects/remove-project.ts';
import { StatsStore } from '../../../lib/stats/counting/stats-store.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { aJob } from '../jobs/a-job.ts';

const UNSET = { repository: null, ref: null, setup: null, secret: null, exclusive_cwd: false };

let deployment: EmulatedDeployment;
let projects: ProjectStore;
beforeAll(async () => {
  deployment = await emulateDeployment();
  projects = new ProjectStore(deployment.registry);
});
afterAll(async () => await deployment.stop());

const edit = async (reference: string, change: Parameters<typeof editProject>[2]) =>
  await editProject(
    { projects, settings: deployment.projectSettings, workspaces: '/work', rules: { loopback: false } },
    reference,
    change,
  );
const remove = async (reference: string, bound: readonly unknown[] = []) => {
  const bindings = { list: async (id: string) => (id === 'busy' ? bound : []) };
  return await removeProject({ registry: deployment.registry, projects, bindings, workspaces: '/work' }, reference);
};

it('settings are changed by the id or the name of a project, and shown with its folder until it is removed', async () => {
  const project = await projects.resolve('Team A');
  const shown = { ...project, workspace: `/work/${project.id}` };
  expect(await edit('Team A', { ref: 'main' })).toEqual({ ...shown, ...UNSET, ref: 'main' });
  const repository = 'https://git.example.com/app';
  const set = { ...shown, ...UNSET, ref: 'main', repository, exclusive_cwd: true, setup: 'npm ci', secret: 'KEY' };
  expect(await edit(project.id, { repository, exclusive_cwd: true, setup: 'npm ci', secret: 'KEY' })).toEqual(set);
  expect(await edit(project.id, { repository: '' })).toEqual({ ...set, repository: null });
  expect(await remove('Team A')).toEqual({ ...set, repository: null });
  await expect(remove('Team A')).rejects.toMatchObject({ code: 'not_found' });
  await expect(edit('Team A', { ref: 'main' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(edit('Team A', { repository: 'http://git.example.com/app' })).rejects.toMatchObject({
    problems: [{ fields: ['repository'], problem: 'only https addresses are allowed' }],
  });
});

it('a project with jobs or deploy bindings stays, and the refusal counts both', async () => {
  const { id } = await projects.resolve('busy');
  const left = (jobs: number, bindings: number, words: string) => ({
    code: 'invalid_state',
    message: `delete: project busy has ${words}; only an empty project can be deleted`,
    details: { action: 'delete', jobs, bindings },
  });
  await expect(remove('busy', [1])).rejects.toMatchObject(left(0, 1, '0 jobs and 1 deploy binding'));
  const changes = (['QUEUED', 'FAILED', 'FAILED'] as const).map((status, at) => ({
    ...{ sequence: String(at + 1), before: undefined },
    after: aJob({ project_id: id, status }),
  }));
  const stats = new StatsStore(deployment.registry);
  await stats.apply('shard', changes.slice(0, 1));
  await expect(remove('busy')).rejects.toMatchObject(left(1, 0, '1 job and 0 deploy bindings'));
  await stats.apply('shard', changes);
  await expect(remove('busy', [1, 2])).rejects.toMatchObject(left(3, 2, '3 jobs and 2 deploy bindings'));
  expect(await projects.find('busy')).toMatchObject({ id });
});

it('a project that is removed twice at once is not found the second time', async () => {
  await projects.resolve('twice');
  const gone = { find: async (name: string) => await projects.find(name), remove: async () => undefined };
  const bindings = { list: async () => [] };
  const context = {
    registry: deployment.registry,
    projects: gone as unknown as ProjectStore,
    bindings,
    workspaces: '',
  };
  await expect(removeProject(context, 'twice')).rejects.toMatchObject({ code: 'not_found' });
});
