import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, startService } from '../../local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_CALLS_TO_LOOPBACK: '1' } });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
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
    ['custom', ['command']],
    ['hosted_editor', ['open_url']],
    ['web_framework', ['framework']],
  ])('of mode %s is stored, shows what is missing, and does nothing', async (binding_mode, missing) => {
    const project = `incomplete-${binding_mode}`;
    const { json, status } = await service.api('POST', '/deploy-bindings', { binding_mode, project });
    expect([status, json.ready, json.missing, json.name]).toEqual([201, false, missing, binding_mode]);
    expect((await read(await succeeded(project))).deployments).toEqual([]);
  });

  it('with an unknown framework shows which commands are missing', async () => {
    const write = { binding_mode: 'web_framework', project: 'unknown', framework: 'homemade', build_command: 'make' };
    expect((await service.api('POST', '/deploy-bindings', write)).json).toMatchObject({
      ready: false,
      missing: ['install_command', 'deploy_command'],
    });
  });
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
    [{}, 'body.binding_mode'],
    [{ binding_mode: 'vercel' }, 'generic'],
    [{ binding_mode: 'generic', target: 'x' }, 'unknown "target"'],
    [{ binding_mode: 'generic', command: 'true' }, 'body.command'],
    [{ binding_mode: 'generic', target_url: 'ftp://example.com' }, 'not https'],
    [{ binding_mode: 'generic', target_url: 'https://10.0.0.1/' }, 'public internet'],
    [{ binding_mode: 'generic', target_url: 'http://169.254.169.254/latest' }, 'not https'],
    [{ binding_mode: 'generic', target_url: 'https://user:pw@example.com/' }, 'password'],
    [{ binding_mode: 'generic', secret: 'short' }, 'whsec_'],
    [{ binding_mode: 'hosted_editor', open_url: 'javascript:alert(1)' }, 'javascript'],
    [{ binding_mode: 'hosted_editor', open_url: 'https://e.example/{home}' }, '{home}'],
    [{ binding_mode: 'hosted_editor', open_url: 'https://{project}.example/' }, 'host'],
    [{ binding_mode: 'custom', command: 'true', timeout_seconds: 0 }, 'timeout_seconds'],
  ])('rejects %j', async (write, why) => {
    const { status, json } = await service.api('POST', '/deploy-bindings', { project: 'refused', ...write });
    expect(status).toBe(400);
    expect(json.error).toContain(why);
  });
});

it('a retry of a deployment is rejected if there is nothing to retry', async () => {
  const id = await succeeded('no-bindings');
  const again = async (job: string, binding: string) =>
    await service.api('POST', `/jobs/${job}/deployments/${binding}/retry`);
  expect(await again('job_00000000000000000000000000', 'x.y')).toMatchObject({ status: 404 });
  expect(await again(id, 'no-bindings.generic')).toMatchObject({ status: 404, json: { error: 'not_found' } });
  await bind({ binding_mode: 'custom', project: 'no-bindings' });
  expect(await again(id, 'no-bindings.custom')).toMatchObject({ status: 400, json: { details: { action: 'retry' } } });
});
