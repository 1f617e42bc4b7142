import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../lib/jobs/lifecycle/cause.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { findMarkedAs } from '../../local-run/marked-processes.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';
import { startReceiver, verified } from './webhook-receiver.ts';

let service: ServiceUnderTest;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

/** What the receiver answers, by path. */
const ANSWERS: Record<string, (earlier: number) => readonly [number, Record<string, string>?]> = {
  '/ok': () => [204],
  '/second-time': (earlier) => [earlier < 1 ? 500 : 200],
  '/never': () => [503],
  '/gone': () => [410],
  '/elsewhere': () => [302, { location: '/redirected' }],
};

beforeAll(async () => {
  receiver = await startReceiver(({ path }, earlier) => ANSWERS[path]?.(earlier) ?? [200]);
  service = await sharedService();
});
afterAll(async () => {
  await receiver.stop();
});

async function bind(body: Record<string, unknown>) {
  const { status, json, text } = await service.api('POST', '/deploy-bindings', body);
  if (status !== 201) throw new Error(`${status} ${text}`);
  return json;
}

async function succeeded(project: string, prompt = 'true', more = {}): Promise<string> {
  const id = await createJob(service, { prompt, profile: 'shell', project, ...more });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  return id;
}

const read = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;

/** The job's deployments once all are complete. */
async function deployed(id: string) {
  return await waitFor(async () => {
    const { deployments } = await read(id);
    const isOpen = deployments.some(({ state }: { state: string }) => ['pending', 'running'].includes(state));
    return deployments.length > 0 && !isOpen && deployments;
  });
}

describe('a generic binding', () => {
  it('makes a call that its receiver can verify, and shows it in the job', async () => {
    const binding = await bind({ binding_mode: 'generic', project: 'calls', target_url: `${receiver.url}/ok` });
    expect(binding).toMatchObject({
      id: 'calls.generic',
      ready: true,
      missing: [],
      secret: expect.stringMatching(/^whsec_/),
    });
    const id = await succeeded('calls', 'echo done', { cwd: 'here' });
    const [deployment] = await deployed(id);
    expect(deployment).toMatchObject({ binding: 'calls.generic', mode: 'generic', state: 'delivered', attempts: 1 });
    expect(deployment).toMatchObject({ last_status: 204, attempt: 1 });
    const [call] = receiver.to('/ok');
    const payload = verified(call, binding.secret);
    expect(payload).toMatchObject({
      type: 'job.succeeded',
      data: { job: { id, project: 'calls', cwd: 'here', status: 'SUCCEEDED', attempt: 1, exit_code: 0 } },
    });
    const result = await fetch(payload.data.result_url, { headers: { authorization: `Bearer ${service.token}` } });
    expect(await result.json()).toMatchObject({ id, stdout: 'done\n' });
    expect(() => verified(call, `whsec_${Buffer.alloc(32).toString('base64')}`)).toThrow();
    const { json: list } = await service.api('GET', '/deploy-bindings?project=calls');
    expect(list.items).toHaveLength(1);
    expect(list.items[0].secret).toBeUndefined();
  });

  it('gives up after the last attempt, and can be retried on request', async () => {
    await bind({ binding_mode: 'generic', project: 'given-up', target_url: `${receiver.url}/never` });
    const id = await succeeded('given-up');
    const [deployment] = await deployed(id);
    expect(deployment).toMatchObject({ state: 'failed', attempts: 3, last_status: 503 });
    expect(deployment.error).toContain('503');
    expect(await read(id)).toMatchObject({ status: 'SUCCEEDED' });
    const told = await waitFor(async () => {
      const { json } = await service.api('GET', `/events?job=${id}&type=deployment.failed`);
      return json.items.length > 0 && json.items;
    });
    expect(told).toEqual([
      expect.objectContaining({
        ...{ job_id: id, sequence: null, attempt: 1, project: 'given-up', project_id: 'given-up', status: null },
        subject: {
          ...{ kind: 'deployment', id: 'given-up.generic', name: deployment.name },
          why: 'Its receiver did not accept the call.',
        },
      }),
    ]);
    ANSWERS['/never'] = () => [200];
    const { status, json } = await service.api('POST', `/jobs/${id}/deployments/given-up.generic/retry`);
    expect([status, json.state]).toEqual([200, 'pending']);
    expect((await deployed(id))[0]).toMatchObject({ state: 'delivered', attempts: 1 });
    await waitFor(async () => {
      const { json: page } = await service.api('GET', `/events?project=given-up&type=deployment.succeeded`);
      return page.items.length === 1;
    });
  });

  it('is disabled by a receiver that answers 410, until it is written again', async () => {
    const write = { binding_mode: 'generic', project: 'gone', target_url: `${receiver.url}/gone` };
    await bind(write);
    const [deployment] = await deployed(await succeeded('gone'));
    expect(deployment).toMatchObject({ state: 'failed', attempts: 1, last_status: 410 });
    const { json: list } = await service.api('GET', '/deploy-bindings?project=gone');
    expect(list.items[0]).toMatchObject({ ready: false, missing: [], disabled_reason: expect.stringMatching(/410/) });
    expect((await read(await succeeded('gone'))).deployments).toEqual([]);
    const again = await service.api('POST', '/deploy-bindings', write);
    expect(again).toMatchObject({ status: 200, json: { ready: true, disabled_reason: null } });
  });
});

describe('a generic binding among several of a project', () => {
  const given = `whsec_${Buffer.from('a secret of thirty-two letters!!').toString('base64')}`;
  const secrets: Record<string, string> = {};
  let made: Record<string, unknown>[];
  beforeAll(async () => {
    const write = (name: string, more = {}) => ({
      ...{ binding_mode: 'generic', project: 'several', name, target_url: `${receiver.url}/${name}` },
      ...more,
    });
    for (const name of ['second-time', 'elsewhere', 'rotated']) secrets[name] = (await bind(write(name))).secret;
    secrets.new = (
      await service.api('POST', '/deploy-bindings', write('rotated', { rotate_secret: true }))
    ).json.secret;
    const { text } = await service.api('POST', '/deploy-bindings', write('given', { secret: given }));
    expect(text).toContain('several.given');
    expect(text).not.toContain('whsec_');
    made = await deployed(await succeeded('several'));
  });
  const deploymentOf = (name: string) => made.find((deployment) => deployment.name === name);

  it('retries a failed call, as the same event', () => {
    const deployment = deploymentOf('second-time');
    expect(deployment).toMatchObject({ state: 'delivered', attempts: 2, last_status: 200 });
    expect(deployment?.error).toBeUndefined();
    const calls = receiver.to('/second-time');
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    for (const call of calls) verified(call, secrets['second-time'] ?? '');
  });

  it('follows no redirect', () => {
    expect(deploymentOf('elsewhere')).toMatchObject({ state: 'failed', last_status: 302 });
    expect(receiver.to('/redirected')).toEqual([]);
  });

  it('signs with the old and the new secret after a rotation', () => {
    expect(secrets.new).not.toBe(secrets.rotated);
    for (const secret of [secrets.rotated, secrets.new]) verified(receiver.to('/rotated')[0], secret ?? '');
  });

  it('signs with a secret from the request and shows it in no answer', () => {
    verified(receiver.to('/given')[0], given);
  });
});

describe('a custom binding', () => {
  it("runs its command in the job's folder after a success, and keeps the output", async () => {
    await bind({
      binding_mode: 'custom',
      project: 'chandlery',
      command: 'echo "$PROMPTQ_PROJECT in $(pwd)"; cat made.txt >&2; sleep 300 & cp made.txt shipped.txt',
    });
    const id = await succeeded('chandlery', 'echo made > made.txt', { cwd: 'site' });
    const [deployment] = await deployed(id);
    expect(deployment).toMatchObject({ mode: 'custom', state: 'succeeded', attempts: 1, log_truncated: false });
    const lines = deployment.log.split('\n');
    expect(lines).toContain(`chandlery in ${join(service.home, 'workspaces', 'chandlery', 'site')}`);
    expect(lines).toContain('made');
    expect(await readdir(join(service.home, 'workspaces/chandlery/site'))).toContain('shipped.txt');
    // Processes that the command left behind ended with it.
    expect(
      findMarkedAs(`${jobIdOf({ kind: 'system', name: 'deploy', job: id, attempt: 1, key: '1 chandlery.custom' })}/1`),
    ).toEqual([]);
  });

  it('leaves the job unchanged if its command fails or takes too long', async () => {
    await bind({ binding_mode: 'custom', project: 'failing', name: 'a', command: 'echo broken; exit 3' });
    await bind({ binding_mode: 'custom', project: 'failing', name: 'b', command: 'sleep 60', timeout_seconds: 1 });
    const id = await succeeded('failing');
    const [a, b] = await deployed(id);
    expect(a).toMatchObject({
      name: 'a',
      state: 'failed',
      error: expect.stringMatching(/^Exit code 3/),
      log: expect.stringMatching(/broken/),
    });
    expect(b).toMatchObject({ name: 'b', state: 'failed', error: expect.stringMatching(/longer than 1 second:/) });
    expect(await read(id)).toMatchObject({ status: 'SUCCEEDED', state_reason: { code: 'exited' } });
  });

  it('holds an exclusive folder until its command has ended', async () => {
    // Projects are made by their first job.
    await createJob(service, { prompt: 'true', profile: 'shell', project: 'queueing', draft: true });
    expect((await service.api('PATCH', '/projects/queueing', { exclusive_cwd: true })).status).toBe(200);
    const command = 'touch begun; until [ -e go ]; do sleep 0.05; done; touch done';
    await bind({ binding_mode: 'custom', project: 'queueing', command });
    const cwd = 'shared';
    await succeeded('queueing', 'true', { cwd });
    const folder = join(service.home, 'workspaces/queueing/shared');
    await waitFor(async () => (await readdir(folder)).includes('begun'));
    const next = await createJob(service, { prompt: 'ls', profile: 'shell', project: 'queueing', cwd });
    await waitFor(async () => (await read(next)).state_reason.code === 'folder_busy');
    await writeFile(join(folder, 'go'), '');
    expect(await untilEnded(service, next)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await service.api('GET', `/jobs/${next}/result`)).json.stdout).toBe('begun\ndone\ngo\n');
  });

  it('does nothing for a job that fails', async () => {
    await bind({ binding_mode: 'custom', project: 'unlucky', command: 'touch ran' });
    const id = await createJob(service, { prompt: 'exit 1', profile: 'shell', project: 'unlucky' });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED' });
    expect((await read(id)).deployments).toEqual([]);
  });

  it('acts on a job that ended before the binding was created', async () => {
    const id = await succeeded('late');
    await bind({ binding_mode: 'custom', project: 'late', command: 'echo afterwards' });
    expect((await read(id)).deployments).toEqual([]);
    await service.api('POST', `/jobs/${id}/deployments/late.custom/retry`);
    expect((await deployed(id))[0]).toMatchObject({ state: 'succeeded', log: expect.stringMatching(/afterwards/) });
  });
});

describe('a web_framework binding', () => {
  it('runs the install, build and deploy commands of its framework and project', async () => {
    const binding = await bind({
      binding_mode: 'web_framework',
      project: 'site',
      framework: 'vite',
      install_command: 'echo installed',
      build_command: 'mkdir -p dist && cp index.html dist',
    });
    expect(binding).toMatchObject({
      ready: true,
      commands: ['echo installed', expect.stringContaining('dist'), expect.stringContaining('else npm run deploy')],
    });
    const pkg = JSON.stringify({ name: 'site', scripts: { deploy: 'cp -r dist ../published' } });
    const id = await succeeded('site', `echo hello > index.html; echo '${pkg}' > package.json`, { cwd: 'web' });
    expect((await deployed(id))[0]).toMatchObject({ mode: 'web_framework', state: 'succeeded' });
    expect(await readFile(join(service.home, 'workspaces/site/published/index.html'), 'utf8')).toBe('hello\n');
  });

  it('stops at the first command that fails', async () => {
    await bind({
      binding_mode: 'web_framework',
      project: 'broken-site',
      install_command: 'echo one',
      build_command: 'echo two; false',
      deploy_command: 'echo three',
    });
    const [deployment] = await deployed(await succeeded('broken-site'));
    expect(deployment).toMatchObject({ state: 'failed', error: expect.stringMatching(/^Exit code 1: echo two/) });
    expect(deployment.log).toBe('$ echo one\none\n$ echo two; false\ntwo\n');
  });
});

it('a hosted_editor binding shows a link to the folder of each job', async () => {
  const open_url = 'https://editor.example/?folder={cwd}&name={project}';
  await bind({ binding_mode: 'hosted_editor', project: 'Edited here', open_url });
  const draft = await createJob(service, { prompt: 'x', profile: 'shell', project: 'Edited here', draft: true });
  const id = await createJob(service, { prompt: 'exit 1', profile: 'shell', project: 'Edited here', cwd: 'a b' });
  await untilEnded(service, id);
  expect((await read(draft)).deployments).toMatchObject([{ mode: 'hosted_editor', state: 'pending' }]);
  const job = await read(id);
  const folder = encodeURIComponent(join(service.home, 'workspaces', job.project_id, 'a b'));
  expect(job.deployments).toMatchObject([
    { state: 'succeeded', open_url: `https://editor.example/?folder=${folder}&name=Edited%20here` },
  ]);
});
