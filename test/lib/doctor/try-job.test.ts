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
