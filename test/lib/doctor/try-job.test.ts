import { expect, it } from 'vitest';
import { tryJob } from '../../../lib/doctor/service/try-job.ts';
import { withService } from './stand-in-service.ts';

it.each([
  [200, { id: 'job_1' }, 'it was cancelled'],
  [503, { error: 'unavailable' }, 'it could not be cancelled: POST /jobs/{id}/cancel was answered 503 "unavailable"'],
])('a job that has not ended in time is cancelled, which is answered %i', async (status, body, outcome) => {
  const requests: string[] = [];
  const reason = { code: 'usage_limit', message: 'The limit is reached.' };
  const answer = (request: string) => {
    requests.push(request);
    if (request.endsWith('/cancel')) return { status, body };
    return { status: 200, body: { id: 'job_1', status: 'QUEUED', state_reason: reason, terminal: false } };
  };
  const trial = { profile: 'codex', timeoutMs: 0 };
  const finding = await withService({ answer, isLocal: false }, async (service) => await tryJob(service, trial));
  expect(finding).toMatchObject({ check: 'job', state: 'fault', message: expect.stringContaining(`; ${outcome}`) });
  expect(requests).toEqual(['POST /api/v1/jobs', expect.stringContaining('/status'), 'POST /api/v1/jobs/job_1/cancel']);
});

it('a job whose state can no longer be read is cancelled, and named with what went wrong', async () => {
  const requests: string[] = [];
  const answer = (request: string) => {
    requests.push(request);
    if (request.includes('/status')) return { status: 502, body: { error: 'unavailable' } };
    return { status: 200, body: { id: 'job_1' } };
  };
  const trial = { profile: 'codex', timeoutMs: 60_000 };
  const finding = await withService({ answer, isLocal: false }, async (service) => await tryJob(service, trial));
  expect(finding).toMatchObject({ check: 'job', state: 'fault' });
  expect(finding.message).toContain('job_1: GET /jobs/{id}/status was answered 502 "unavailable"; it was cancelled');
  expect(requests.at(-1)).toBe('POST /api/v1/jobs/job_1/cancel');
});

/** What is found with a job that is in these states, one after the other. */
async function found(
  states: readonly object[],
  { profile = 'shell', stdout = 'promptq doctor\n', timeoutMs = 60_000 } = {},
) {
  const requests: string[] = [];
  let created: object = {};
  const left = [...states];
  const reason = { code: 'exited', message: 'It has ended.' };
  const answer = (request: string, sent: string) => {
    requests.push(request);
    if (request === 'POST /api/v1/jobs') created = JSON.parse(sent);
    if (request.includes('/result')) return { status: 200, body: { stdout } };
    const body = { id: 'job_1', state_reason: reason, ...(request.includes('/status') && left.shift()) };
    return { status: 200, body };
  };
  const { state, message, advice } = await withService(
    { answer, isLocal: false },
    async (service) => await tryJob(service, { profile, timeoutMs }),
  );
  return { found: `${state}: ${message.replace(/ in \d+ s/, ' in N s')}`, advice, requests, created };
}
const RUNNING = { status: 'RUNNING', terminal: false };
const SUCCEEDED = { status: 'SUCCEEDED', terminal: true };

it('a script that ran has its output stored', async () => {
  const ran = await found([RUNNING, SUCCEEDED]);
  expect(ran.found).toBe('ok: job_1 ran, and its output is there, in N s');
  expect(ran.created).toEqual({ prompt: 'echo "promptq doctor"', profile: 'shell', project: 'doctor' });
  expect(ran.requests).toEqual([
    'POST /api/v1/jobs',
    ...Array(2).fill('GET /api/v1/jobs/job_1/status?wait=20'),
    'GET /api/v1/jobs/job_1/result',
  ]);
  expect(await found([SUCCEEDED], { stdout: '' })).toMatchObject({
    ...{ found: 'fault: job_1 succeeded, but its output is ""', advice: 'Look at the bucket.' },
  });
});

it('an agent has succeeded whatever it says', async () => {
  const ran = await found([SUCCEEDED], { profile: 'codex', stdout: '' });
  expect(ran.found).toBe('ok: job_1 of the profile codex succeeded in N s');
  expect(ran.created).toEqual({ prompt: 'Answer with one word: ok', profile: 'codex', project: 'doctor' });
  expect(ran.requests).toHaveLength(2);
});

it('a job that fails is named, and not cancelled', async () => {
  const failed = await found([{ status: 'FAILED', terminal: true }], { timeoutMs: 0 });
  expect(failed.found).toBe('fault: job_1 is FAILED (exited: It has ended.)');
  expect(failed.advice).toBe('Read what it wrote: GET /jobs/job_1/logs.');
  expect(failed.requests).toHaveLength(2);
});
