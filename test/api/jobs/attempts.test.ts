import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { receiptKey } from '../../../lib/jobs/output/output-keys.ts';
import { fileOfObject } from '../../local-run/kept-objects.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

async function read(id: string) {
  return (await service.api('GET', `/jobs/${id}`)).json;
}

async function retried(id: string) {
  await service.api('POST', `/jobs/${id}/retry`);
  return await untilEnded(service, id);
}

const time = expect.stringMatching(/^\d{4}-.*Z$/);

it('a job lists the end of each attempt, the newest first', async () => {
  const prompt = 'if [ -e done ]; then echo second; else touch done; exit 7; fi';
  const id = await createJob(service, { prompt, profile: 'shell', cwd: 'attempts' });
  await untilEnded(service, id);
  const first = await read(id);
  expect(first.attempts).toEqual([
    {
      attempt: 1,
      status: 'FAILED',
      state_reason: first.state_reason,
      started_at: first.started_at,
      finished_at: first.finished_at,
      exit_code: 7,
      signal: null,
      resumed_from: null,
    },
  ]);
  await retried(id);
  const { attempts } = await read(id);
  expect(attempts).toEqual([
    expect.objectContaining({ attempt: 2, status: 'SUCCEEDED', exit_code: 0, started_at: time, finished_at: time }),
    { ...first.attempts[0], started_at: time, finished_at: time },
  ]);
  const earlier = (await service.api('GET', `/jobs/${id}/result?attempt=1`)).json;
  expect(attempts[1]).toMatchObject({ started_at: earlier.started_at, finished_at: earlier.finished_at });
});

it('an attempt that runs has no end, and a draft has no attempt', async () => {
  const draft = await createJob(service, { prompt: 'true', profile: 'shell', draft: true });
  expect((await read(draft)).attempts).toEqual([]);
  const gate = join(service.home, 'attempts-running-gate');
  const id = await createJob(service, { prompt: `while [ ! -e ${gate} ]; do sleep 0.05; done`, profile: 'shell' });
  const job = await waitFor(async () => {
    const now = await read(id);
    return now.status === 'RUNNING' && now;
  });
  expect(job.attempts).toEqual([
    expect.objectContaining({ attempt: 1, status: 'RUNNING', started_at: time, finished_at: null, exit_code: null }),
  ]);
  await writeFile(gate, '');
  await untilEnded(service, id);
});

it('a job that was cancelled while it waited keeps how its attempt had ended', async () => {
  const profiles = [{ name: 'single', agent: 'shell', concurrency: 1 }];
  expect((await service.api('POST', '/config/import', { profiles })).status).toBe(200);
  const id = await createJob(service, { prompt: 'exit 5', profile: 'single' });
  await untilEnded(service, id);
  const gate = join(service.home, 'attempts-single-gate');
  const other = await createJob(service, { prompt: `while [ ! -e ${gate} ]; do sleep 0.05; done`, profile: 'single' });
  await waitFor(async () => (await read(other)).status === 'RUNNING');
  expect((await service.api('POST', `/jobs/${id}/retry`)).status).toBe(200);
  expect((await service.api('POST', `/jobs/${id}/cancel`)).status).toBe(200);
  const { status, attempts } = await read(id);
  expect(status).toBe('CANCELLED');
  expect(attempts).toEqual([expect.objectContaining({ attempt: 1, status: 'FAILED', exit_code: 5 })]);
  expect(attempts[0].state_reason).toEqual({ code: 'exited', message: expect.any(String), retryable: false });
  await writeFile(gate, '');
  await untilEnded(service, other);
});

it('an attempt with a damaged record is shown with unknown fields', async () => {
  const id = await createJob(service, { prompt: 'exit 3', profile: 'shell' });
  await untilEnded(service, id);
  await retried(id);
  await writeFile(await fileOfObject(service.home, receiptKey(id, 1)), '{"version":');
  const unknown = { status: null, state_reason: null, started_at: null, finished_at: null, exit_code: null };
  expect((await read(id)).attempts[1]).toEqual({ attempt: 1, signal: null, resumed_from: null, ...unknown });
});

async function result(id: string, query = '') {
  return (await service.api('GET', `/jobs/${id}/result${query}`)).json;
}

it('an earlier success stays readable after a retry', async () => {
  const id = await createJob(service, { prompt: 'drill: tool echo first' });
  await untilEnded(service, id);
  const before = await result(id);
  expect(before).toMatchObject({ attempt: 1, status: 'SUCCEEDED', usage: { input_tokens: expect.any(Number) } });

  await service.api('POST', `/jobs/${id}/retry`);
  await untilEnded(service, id);
  const after = await result(id);
  expect(after).toMatchObject({ attempt: 2, status: 'SUCCEEDED' });
  expect(after.session_id).not.toBe(before.session_id);
  expect(await result(id, '?attempt=2')).toEqual(after);
  const { started_at, finished_at, duration_ms, ...kept } = await result(id, '?attempt=1');
  expect(kept).toEqual({ ...before, started_at: undefined, finished_at: undefined, duration_ms: undefined });
  expect(Date.parse(finished_at) - Date.parse(started_at)).toBe(duration_ms);
});

it('each attempt shows its own usage and session', async () => {
  const again = join(service.home, 'attempts-again');
  const prompt = `drill: tool if [ -e ${again} ]; then touch ${again}-runs; sleep 600; fi; touch ${again}`;
  const id = await createJob(service, { prompt });
  await untilEnded(service, id);
  const first = await result(id);
  expect(first.usage).not.toBeNull();
  await service.api('POST', `/jobs/${id}/retry`);
  await waitFor(() => existsSync(`${again}-runs`));
  expect(await result(id)).toMatchObject({ attempt: 2, status: 'RUNNING', usage: null, session_id: null });
  await service.api('POST', `/jobs/${id}/kill`);
  await untilEnded(service, id);
  const second = await result(id);
  expect(second).toMatchObject({ attempt: 2, status: 'CANCELLED' });
  // It made the first of the two calls that the first attempt made.
  expect(second.usage.input_tokens).toBeGreaterThan(0);
  expect(second.usage.input_tokens).toBeLessThan(first.usage.input_tokens);
  expect(second.session_id).not.toBe(first.session_id);
  expect(await result(id, '?attempt=1')).toMatchObject({ usage: first.usage, session_id: first.session_id });
});
