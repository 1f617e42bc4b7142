import { expect, it } from 'vitest';
import { callPayload } from '../../../../lib/deployments/calls/call-payload.ts';
import { aJob, aReceipt, followUpOf } from '../../jobs/a-job.ts';

const ENDED = { kind: 'succeeded', reason: 'exited' } as const;

it('a call reports who asked for what, when it ran, what it used and where its result is, and nothing of the result', () => {
  const usage = { input_tokens: 5, cached_input_tokens: 1, output_tokens: 2, reasoning_output_tokens: 0 };
  const parent = 'job_00000000000000000000000000';
  const given = { model: 'gpt', cwd: '/work/app' };
  const job = aJob({
    ...given,
    ...followUpOf(parent),
    project_id: 'app',
    project: 'App',
    status: 'SUCCEEDED',
    attempt: 3,
  });
  const receipt = aReceipt({ ...ENDED, exit_code: 0 }, { attempt: 2, usage });
  expect(JSON.parse(callPayload(job, receipt, 'https://queue.example/base'))).toEqual({
    type: 'job.succeeded',
    timestamp: '2026-11-20T10:00:10.000Z',
    data: {
      job: {
        ...given,
        parent_id: parent,
        id: 'job_00000000000000000000000001',
        status: 'SUCCEEDED',
        attempt: 2,
        project_id: 'app',
        project: 'App',
        profile: 'practice',
        created_by: 'token:test',
        created_at: '2026-11-20T10:00:00.000Z',
        started_at: '2026-11-20T10:00:00.000Z',
        finished_at: '2026-11-20T10:00:10.000Z',
        exit_code: 0,
        usage,
      },
      result_path: '/api/v1/jobs/job_00000000000000000000000001/result',
      result_url: 'https://queue.example/api/v1/jobs/job_00000000000000000000000001/result',
    },
  });
});

it('a call says null for what a job does not have, and for the address of a service that sets none', () => {
  const { data } = JSON.parse(callPayload(aJob(), aReceipt(ENDED), undefined)) as { data: { job: unknown } };
  expect(data).toMatchObject({ result_url: null });
  expect(data.job).toMatchObject({ model: null, cwd: null, parent_id: null, usage: null });
});
