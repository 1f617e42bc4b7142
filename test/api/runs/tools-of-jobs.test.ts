import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { jobIdOf } from '../../../lib/jobs/lifecycle/cause.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { amount } from '../../vitest/amount.ts';
import { request } from '../../worker-container/tools/served-tools.ts';
import { createJob, idOfKey, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;

beforeAll(async () => {
  service = await sharedService();
  const profiles = [
    { name: 'claude-practice', agent: 'claude' },
    { name: 'claude-read-only', agent: 'claude', sandbox: 'read-only' },
    { name: 'codex-read-only', agent: 'codex', sandbox: 'read-only' },
    { name: 'codex-without', agent: 'codex', tools: 'off' },
  ].map((profile) => ({ ...profile, vendor: 'practice' }));
  expect((await service.api('POST', '/config/import', { profiles })).status).toBe(200);
});

const resultOf = async (id: string) => (await service.api('GET', `/jobs/${id}/result`)).json;

test.for(amount(['codex-read-only'], ['codex-read-only', 'claude-read-only']))(
  'the sandbox of profile %s allows the tools',
  async (profile) => {
    const prompt = 'drill: use report_progress {"text": "begun"}\ndrill: use attach_file {"path": "none"}';
    const id = await createJob(service, { prompt, profile });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    const { final_message } = await resultOf(id);
    expect(final_message).toContain('Noted.');
    expect(final_message).toContain('none: there is no such file');
  },
);

test.for(amount(['practice'], ['practice', 'claude-practice']))(
  'an agent of profile %s attaches a file and starts a job by tools',
  async (profile) => {
    const key = `starts a job ${profile}`;
    const parent = idOfKey(service, key);
    const child = jobIdOf({ kind: 'tool', job: parent, round: 0, key: 'one' });
    const prompt = [
      'drill: tool echo made here > made.txt',
      'drill: use attach_file {"path": "made.txt"}',
      `drill: use create_job ${JSON.stringify({ prompt: 'Say hello.', title: 'Part', key: 'one' })}`,
      `drill: use create_job ${JSON.stringify({ prompt: 'Say hello again.', key: 'one' })}`,
      `drill: use create_job ${JSON.stringify({ prompt: 'Say hello.', profile: 'codex-without' })}`,
      `drill: use job_status ${JSON.stringify({ id: child })}`,
      `drill: use job_status ${JSON.stringify({ id: parent })}`,
    ].join('\n');
    expect(await createJob(service, { prompt, profile, idempotency_key: key })).toBe(parent);
    expect(await untilEnded(service, parent)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    const { final_message } = await resultOf(parent);
    expect(final_message).toContain('Attached as made.txt (10 bytes).');
    expect((await service.api('GET', `/jobs/${parent}/attachments`)).json.items).toMatchObject([
      { path: 'made.txt', bytes: 10 },
    ]);
    expect(final_message).toContain(`Created job ${child}. It starts now, and continues even if this job fails`);
    expect(final_message).toContain(`Job ${child} exists already.`);
    expect(final_message).toContain(`Not created: profile: received "codex-without"`);
    expect(final_message).toMatch(new RegExp(`"id":"${child}","status":"(QUEUED|RUNNING|SUCCEEDED)"`));
    expect(final_message).toContain('this job has started no job of this id');
    expect((await service.api('GET', `/jobs/${parent}`)).json).toMatchObject({ follow_up_ids: [child] });
    expect(await untilEnded(service, child)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await service.api('GET', `/jobs/${child}`)).json).toMatchObject({
      ...{ parent_id: parent, created_by: `job:${parent}`, profile, title: 'Part' },
    });
    const audit = async () => (await service.api('GET', `/audit-logs?actor=job:${parent}`)).json.items;
    await waitFor(async () => (await audit()).length > 0);
    expect(await audit()).toMatchObject([{ action: 'jobs.delegate', target: { id: child }, source_ip: null }]);
  },
);

test('a job that an agent started continues although its parent fails', async () => {
  const key = 'fails after it has started a job';
  const child = jobIdOf({ kind: 'tool', job: idOfKey(service, key), round: 0, key: 'one' });
  const prompt = `drill: use create_job ${JSON.stringify({ prompt: 'Say hello.', key: 'one' })}\ndrill: fail 400`;
  const id = await createJob(service, { prompt, idempotency_key: key });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED' });
  expect(await untilEnded(service, child)).toMatchObject({ status: 'SUCCEEDED' });
});

test('a report of progress is shown while the job runs', async () => {
  const input = { text: 'half way', percent: 50 };
  const id = await createJob(service, { prompt: `drill: use report_progress ${JSON.stringify(input)}\ndrill: hang` });
  const read = async () => (await service.api('GET', `/jobs/${id}`)).json;
  await waitFor(async () => (await read()).progress !== null);
  expect(await read()).toMatchObject({ status: 'RUNNING', progress: { ...input, at: expect.any(String) } });
  expect((await service.api('POST', `/jobs/${id}/kill`)).status).toBe(200);
  await untilEnded(service, id);
  expect(await read()).toMatchObject({ status: 'CANCELLED', progress: null });
});

test('the key is only in a private file, and is refused once its attempt has ended', async () => {
  const gate = join(service.home, 'key-gate');
  const script = [
    'f=$PROMPTQ_ATTACHMENTS/../agent/codex-home/config.toml',
    `k=$(grep -o 'Bearer [^"]*' $f | cut -c8-)`,
    'echo "file $(stat -c %a $f), $(printf %s "$k" | wc -c) characters: $k"',
    'case "$(env; cat /proc/$PPID/environ | tr "\\0" "\\n")" in *"$k"*) echo in the environment;; esac',
    'case "$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " ")" in *"$k"*) echo in arguments;; esac',
    `touch ${gate}-up; until [ -e ${gate} ]; do sleep 0.05; done; echo over`,
  ].join('; ');
  const id = await createJob(service, { prompt: `drill: tool ${script}` });
  await waitFor(() => existsSync(`${gate}-up`));
  const home = join(service.home, 'worker', 'attempts', id, 'agent', 'codex-home');
  const config = await readFile(join(home, 'config.toml'), 'utf8');
  const [, url = ''] = /^url = "(.*\/mcp)"$/m.exec(config) ?? [];
  const [, key = ''] = /Bearer ([\w-]{43})/.exec(config) ?? [];
  const list = async () => (await request({ url, key }, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status;
  expect(await list()).toBe(200);
  await writeFile(gate, '');
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await resultOf(id)).final_message).toContain('file 600, 43 characters: ***\nover');
  // Another attempt may have got the port.
  expect(await list().catch(() => 401)).toBe(401);
  await waitFor(() => !existsSync(home));
});

test('a profile turns the tools off', async () => {
  const id = await createJob(service, {
    prompt: 'drill: use report_progress {"text": "hi"}',
    profile: 'codex-without',
  });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await resultOf(id)).final_message).toContain('unsupported call');
});
