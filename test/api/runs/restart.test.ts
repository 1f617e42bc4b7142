import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { findOfHome } from '../../local-run/marked-processes.ts';
import { createJob, untilEnded } from '../job-client.ts';
import { answeredCalls } from '../practice-calls.ts';

let home: string;
let service: OwnService;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => {
  await service.stop();
  await rm(home, { recursive: true, force: true });
});

it('jobs survive a kill of service and tables, and the next run ends their processes', {
  timeout: 120_000,
}, async () => {
  service = await startService({ home, env: { PROMPTQ_CONCURRENCY: '1' } });
  const { token } = service;
  const started = join(home, 'started');
  const id = await createJob(service, {
    prompt: `if [ -e ${started} ]; then echo first; echo second; exit; fi; touch ${started}; echo first; sleep 600`,
    profile: 'shell',
  });
  const waiting = await createJob(service, { prompt: 'echo waited', profile: 'shell', priority: -1 });
  const draft = await createJob(service, { prompt: 'echo never', draft: true });
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/logs?stream=stdout`)).json.stdout === 'first\n');
  expect(existsSync(started)).toBe(true);
  const before = findOfHome(home);
  for (const pid of before) if (isTables(pid)) process.kill(pid, 'SIGKILL');
  await service.kill9();

  service = await startService({ home });
  expect(findOfHome(home).filter((pid) => before.includes(pid))).toEqual([]);
  expect(service.token).toBe(token);
  expect(JSON.parse(await readFile(join(home, 'local.json'), 'utf8'))).toMatchObject({
    base_url: service.baseUrl,
    pid: service.pid,
  });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  expect(await untilEnded(service, waiting)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await service.api('GET', `/jobs/${draft}/status`)).json).toMatchObject({ status: 'DRAFT', attempt: 0 });
  expect((await service.api('GET', `/jobs/${id}/logs?stream=stdout&attempt=1`)).json.stdout).toBe('first\n');
  expect((await service.api('GET', `/jobs/${id}/logs?stream=stdout`)).json.stdout).toBe('first\nsecond\n');
  await waitFor(async () => {
    const { json } = await service.api('GET', '/health');
    return json.status_counts.SUCCEEDED === 2 && json.status_counts.DRAFT === 1;
  });
});

it('a stop hands running jobs back without using up a retry, and leaves no process', async () => {
  service = await startService({ home });
  const gate = join(home, 'gate');
  const wait = (name: string) => `touch ${gate}-${name}; while [ ! -e ${gate} ]; do sleep 0.1; done`;
  const id = await createJob(service, { prompt: wait('script'), profile: 'shell' });
  const prompt = `drill: calls 2\ndrill: tool ${wait('agent')}\ndrill: calls 1`;
  const agent = await createJob(service, { prompt });
  await waitFor(() => existsSync(`${gate}-script`) && existsSync(`${gate}-agent`));
  expect(await service.stop({ keepHome: true })).toBe(0);
  await waitFor(() => findOfHome(home).length === 0);
  expect(service.output()).not.toContain('ended unexpectedly');
  expect(existsSync(join(home, 'local.json'))).toBe(false);
  const { token } = service;
  await writeFile(join(home, 'token'), 'no token of this run\n');

  service = await startService({ home });
  expect(service.token).not.toBe(token);
  const { json } = await service.api('GET', `/jobs/${id}`);
  expect(json).toMatchObject({ retries: 0, error: null });
  expect(['QUEUED', 'RUNNING']).toContain(json.status);
  await writeFile(gate, '');
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  // The agent continues its session. The vendor's journal begins with the new service.
  expect(await untilEnded(service, agent)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  expect((await answeredCalls(home, prompt)).map(({ results }) => results)).toEqual([3, 4]);
});

/** Whether a process is the emulator of the tables. */
function isTables(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('dynoxide');
}
