import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../../local-service.ts';
import { createJob } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

const bind = (project: string) =>
  service.api('POST', '/deploy-bindings', { binding_mode: 'custom', project, name: 'one', command: 'true' });

async function find(name: string) {
  const { json } = await service.api('GET', '/projects');
  return json.items.find((project: { name: string }) => project.name === name);
}

it('a mistyped project can be deleted once its binding is deleted, and created again', async () => {
  const name = 'Store Frnt';
  for (let round = 0; round < 2; round += 1) {
    const { json: binding } = await bind(name);
    const { id } = await find(name);
    expect(await service.api('DELETE', `/projects/${id}`)).toMatchObject({
      status: 400,
      json: {
        error: `delete: project ${id} has 0 jobs and 1 deploy binding; only an empty project can be deleted`,
        details: { action: 'delete', jobs: 0, bindings: 1 },
      },
    });
    await service.api('DELETE', `/deploy-bindings/${binding.id}`);
    await service.api('PATCH', `/projects/${id}`, { exclusive_cwd: true });
    const { status, json } = await service.api('DELETE', `/projects/${encodeURIComponent(name)}`);
    expect({ status, json }).toMatchObject({ status: 200, json: { id, name, exclusive_cwd: true } });
    expect(await find(name)).toBeUndefined();
    expect(await service.api('DELETE', `/projects/${id}`)).toMatchObject({ status: 404, json: { error: 'not_found' } });
  }
});

it('a project with jobs stays, ended ones too', async () => {
  const id = await createJob(service, { prompt: 'x', draft: true, project: 'used' });
  await service.api('POST', `/jobs/${id}/cancel`);
  await waitFor(async () => (await find('used')).job_counts.CANCELLED === 1);
  const { status, json } = await service.api('DELETE', '/projects/used');
  expect(status).toBe(400);
  expect(json).toMatchObject({ details: { jobs: 1, bindings: 0 } });
  expect(json.error).toBe('delete: project used has 1 job and 0 deploy bindings; only an empty project can be deleted');
});

it('a draft that moved away leaves its project empty', async () => {
  const id = await createJob(service, { prompt: 'x', draft: true, project: 'left' });
  await waitFor(async () => (await find('left')).job_counts.DRAFT === 1);
  await service.api('PATCH', `/jobs/${id}/draft`, { project: 'stayed' });
  await waitFor(async () => (await find('left')).job_counts.DRAFT === 0);
  expect((await service.api('DELETE', '/projects/left')).status).toBe(200);
  expect((await service.api('GET', `/jobs/${id}`)).json.project).toBe('stayed');
});
