import { expect, test } from 'vitest';
import { REASONS } from '../../../lib/contract/schemas/jobs/job-state.ts';
import { startPromptq } from './promptq-command.ts';
import { startStandIn } from './stand-in.ts';

/** A job in a state, as `GET /jobs/{id}/status` and `GET /jobs/{id}/result` return it. */
function job(status: string, code: keyof typeof REASONS) {
  const terminal = ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(status);
  const outcome = { duration_ms: null, exit_code: null, signal: null, error: null, final_message: null };
  return {
    id: 'job_1',
    status,
    state_reason: { code, ...REASONS[code] },
    attempt: 1,
    terminal,
    ...outcome,
    agent: 'shell',
  };
}

/** Answers of a service with one job. @param state of the job at a request for its status */
function serviceOf(state: (request: string) => unknown, others: Readonly<Record<string, () => unknown>> = {}) {
  return async (request: string) => {
    const other = Object.keys(others).find((start) => request.startsWith(start));
    if (other !== undefined) return { body: await others[other]?.() };
    if (request === 'GET /session') return { body: { kind: 'user' } };
    if (request === 'POST /jobs') return { body: { id: 'job_1', url: null } };
    return { body: await state(request) };
  };
}

test.each([
  [['wait', 'job_1']],
  [['run', 'x', '--idempotency-key', 'k']],
  [['run', 'x', '--idempotency-key', 'k', '--follow']],
  [['logs', '-f', 'job_1']],
  [['logs', '-f', 'job_1', '--json']],
])('7: %j of a draft ends, and names the command that queues it', async (args) => {
  const { env } = await startStandIn(serviceOf(() => job('DRAFT', 'draft')));
  const { code, stderr } = await startPromptq(args, { env }).ended;
  expect([code, stderr]).toEqual([7, expect.stringContaining('`promptq submit job_1` queues it')]);
});
