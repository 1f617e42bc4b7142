import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../../local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

async function result(id: string, query = '') {
  return (await service.api('GET', `/jobs/${id}/result${query}`)).json;
}

it('a retry hides nothing of an earlier success', async () => {
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

it('an earlier attempt says how it ended itself, whatever the job has come to', async () => {
  const prompt = `if [ -e done ]; then echo second; else touch done; echo first; exit 7; fi`;
  const id = await createJob(service, { prompt, profile: 'shell', cwd: 'earlier' });
  await untilEnded(service, id);
  await service.api('POST', `/jobs/${id}/retry`);
  await untilEnded(service, id);
  expect(await result(id)).toMatchObject({ attempt: 2, status: 'SUCCEEDED', exit_code: 0, stdout: 'second\n' });
  expect(await result(id, '?attempt=1')).toMatchObject({
    attempt: 1,
    status: 'FAILED',
    state_reason: { code: 'exited' },
    exit_code: 7,
    stdout: 'first\n',
    stdout_state: 'complete',
  });
});

it('an attempt shows no usage and no session but its own', async () => {
  const again = join(service.home, 'again');
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

it('rejects an unknown attempt', async () => {
  const id = await createJob(service, { prompt: 'true', profile: 'shell', draft: true });
  const { status, json } = await service.api('GET', `/jobs/${id}/result?attempt=1`);
  expect(status).toBe(400);
  expect(json.error).toBe("query.attempt: received 1; the job's newest attempt is 0");
  expect((await service.api('GET', `/jobs/${id}/result?attempt=0`)).status).toBe(400);
});
