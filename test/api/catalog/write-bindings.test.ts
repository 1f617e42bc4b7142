import { beforeAll, describe, expect, it, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { amount } from '../../vitest/amount.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

async function bind(body: Record<string, unknown>) {
  const { status, json, text } = await service.api('POST', '/deploy-bindings', body);
  if (status !== 201) throw new Error(`${status} ${text}`);
  return json;
}

async function succeeded(project: string): Promise<string> {
  const id = await createJob(service, { prompt: 'true', profile: 'shell', project });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  return id;
}

const read = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;

describe('an incomplete binding', () => {
  it.each([
    ['generic', ['target_url']],
    ['web_framework', ['framework']],
  ])('of mode %s is stored, shows the missing fields, and does not act', async (binding_mode, missing) => {
    const project = `incomplete-${binding_mode}`;
    const { json, status } = await service.api('POST', '/deploy-bindings', { binding_mode, project });
    expect([status, json.ready, json.missing, json.name]).toEqual([201, false, missing, binding_mode]);
    expect((await read(await succeeded(project))).deployments).toEqual([]);
  });
});

const AT_ONCE = amount(12, 30);

test.each([
  [
    'a binding',
    'POST',
    '/deploy-bindings',
    (n: number) => ({ binding_mode: 'custom', project: 'raced', name: 'r', command: `echo ${n}` }),
  ],
  ['the rules', 'POST', '/config/import', (n: number) => ({ rules: [{ id: 'raced', text: `Rule ${n}.` }] })],
  ['a project', 'PATCH', '/projects/raced', (n: number) => ({ setup: `echo ${n}` })],
  [
    'a binding and its project',
    'POST',
    '/deploy-bindings',
    (n: number) => ({ binding_mode: 'generic', project: `raced ${n % 2}`, name: 'r' }),
  ],
] as const)('concurrent changes of %s all take effect', async (_, method, path, body) => {
  await bind({ binding_mode: 'custom', project: 'raced' }).catch(() => undefined);
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, n) => await service.api(method, path, body(n))),
  );
  expect(answers.filter(({ status }) => status > 201).map(({ text }) => text)).toEqual([]);
  if (path === '/deploy-bindings')
    expect(answers.filter(({ status }) => status === 201).length).toBe(
      new Set(answers.map(({ json }) => json.id)).size,
    );
});

describe('writing a binding', () => {
  it('updates the binding of that name, and keeps absent fields', async () => {
    const first = await bind({ binding_mode: 'custom', project: 'twice', name: 'Ship it', command: 'true' });
    const second = await service.api('POST', '/deploy-bindings', {
      binding_mode: 'custom',
      project: 'twice',
      name: 'Ship it',
      timeout_seconds: 5,
      command: null,
    });
    expect(second).toMatchObject({ status: 200, json: { id: first.id, command: 'true', timeout_seconds: 5 } });
    const gone = await service.api('DELETE', `/deploy-bindings/${first.id}`);
    expect(gone).toMatchObject({ status: 200, json: { id: first.id } });
    expect(await service.api('DELETE', `/deploy-bindings/${first.id}`)).toMatchObject({ status: 404 });
  });

  it('defaults to local_project and the mode', async () => {
    const binding = await bind({ binding_mode: 'hosted_editor' });
    expect(binding).toMatchObject({ project_id: 'local_project', name: 'hosted_editor', ready: false });
    await service.api('DELETE', `/deploy-bindings/${binding.id}`);
  });

  it.each([
    [{ binding_mode: 'generic', command: 'true' }, 'body.command'],
    [{ binding_mode: 'generic', target_url: 'ftp://example.com' }, 'not https'],
    [{ binding_mode: 'generic', target_url: 'https://10.0.0.1/' }, 'public internet'],
    [{ binding_mode: 'generic', target_url: 'http://169.254.169.254/latest' }, 'not https'],
    [{ binding_mode: 'generic', target_url: 'https://user:pw@example.com/' }, 'password'],
  ])('rejects %j', async (write, why) => {
    const { status, json } = await service.api('POST', '/deploy-bindings', { project: 'refused', ...write });
    expect(status).toBe(400);
    expect(json.error).toContain(why);
  });
});

it('a retry is rejected for a job without a failed deployment', async () => {
  const id = await succeeded('no-bindings');
  const again = async (job: string, binding: string) =>
    await service.api('POST', `/jobs/${job}/deployments/${binding}/retry`);
  expect(await again('job_00000000000000000000000000', 'x.y')).toMatchObject({ status: 404 });
  expect(await again(id, 'no-bindings.generic')).toMatchObject({ status: 404, json: { error: 'not_found' } });
  await bind({ binding_mode: 'custom', project: 'no-bindings' });
  expect(await again(id, 'no-bindings.custom')).toMatchObject({ status: 400, json: { details: { action: 'retry' } } });
});

async function find(name: string) {
  const { json } = await service.api('GET', '/projects');
  return json.items.find((project: { name: string }) => project.name === name);
}

it('a mistyped project can be deleted once its binding is deleted, and created again', async () => {
  const name = 'Store Frnt';
  for (let round = 0; round < 2; round += 1) {
    const binding = await bind({ binding_mode: 'custom', project: name, name: 'one', command: 'true' });
    const { id } = await find(name);
    expect(await service.api('DELETE', `/projects/${id}`)).toMatchObject({
      status: 400,
      json: {
        error: `delete: project ${id} has 0 jobs, 1 deploy binding and 0 diagrams; only an empty project can be deleted`,
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

it("a project with jobs, even ended ones, can't be deleted", async () => {
  const id = await createJob(service, { prompt: 'x', draft: true, project: 'used' });
  await service.api('POST', `/jobs/${id}/cancel`);
  await waitFor(async () => (await find('used')).job_counts.CANCELLED === 1);
  const { status, json } = await service.api('DELETE', '/projects/used');
  expect(status).toBe(400);
  expect(json).toMatchObject({ details: { jobs: 1, bindings: 0 } });
  expect(json.error).toBe(
    'delete: project used has 1 job, 0 deploy bindings and 0 diagrams; only an empty project can be deleted',
  );
});

it('a project can be deleted once its only draft has moved to another one', async () => {
  const id = await createJob(service, { prompt: 'x', draft: true, project: 'left' });
  await waitFor(async () => (await find('left')).job_counts.DRAFT === 1);
  await service.api('PATCH', `/jobs/${id}/draft`, { project: 'stayed' });
  await waitFor(async () => (await find('left')).job_counts.DRAFT === 0);
  expect((await service.api('DELETE', '/projects/left')).status).toBe(200);
  expect((await service.api('GET', `/jobs/${id}`)).json.project).toBe('stayed');
});
