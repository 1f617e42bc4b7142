import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../../local-service.ts';
import { findOfHome } from '../../marked-processes.ts';
import { createJob, untilEnded } from '../job-client.ts';

let home: string;
let service: ServiceUnderTest;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => {
  await service.stop();
  await rm(home, { recursive: true, force: true });
});

it('a kill of everything in the middle of a job loses nothing: the job runs again and succeeds', {
  timeout: 120_000,
}, async () => {
  service = await startService({ home });
  const started = join(home, 'started');
  const id = await createJob(service, {
    prompt: `if [ -e ${started} ]; then echo first; echo second; exit; fi; touch ${started}; echo first; sleep 600`,
    profile: 'shell',
  });
  const waiting = await createJob(service, { prompt: 'echo waited', profile: 'shell', priority: -1 });
  const draft = await createJob(service, { prompt: 'echo never', draft: true });
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/logs?stream=stdout`)).json.stdout === 'first\n');
  expect(existsSync(started)).toBe(true);
  for (const pid of findOfHome(home)) if (pid !== service.pid) process.kill(pid, 'SIGKILL');
  await service.kill9();

  service = await startService({ home });
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

it('a stop in the middle of a job hands it back, spending nothing, and leaves no process', async () => {
  service = await startService({ home });
  const gate = join(home, 'gate');
  const prompt = `echo on; while [ ! -e ${gate} ]; do sleep 0.1; done`;
  const id = await createJob(service, { prompt, profile: 'shell' });
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/logs?stream=stdout`)).json.stdout === 'on\n');
  expect(await service.stop({ keepHome: true })).toBe(0);
  await waitFor(() => findOfHome(home).length === 0);

  service = await startService({ home });
  const { json } = await service.api('GET', `/jobs/${id}`);
  expect(json).toMatchObject({ retries: 0, error: null });
  expect(['QUEUED', 'RUNNING']).toContain(json.status);
  await createJob(service, { prompt: `touch ${gate}`, profile: 'shell' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
});

it('the token of a home stays the same, and a second run on it is rejected', async () => {
  service = await startService({ home });
  const { token } = service;
  await expect(startService({ home })).rejects.toThrow(String(service.pid));
  await service.stop({ keepHome: true });
  service = await startService({ home });
  expect(service.token).toBe(token);
  expect(JSON.parse(await readFile(join(home, 'local.json'), 'utf8'))).toMatchObject({
    base_url: service.baseUrl,
    pid: service.pid,
  });
});
