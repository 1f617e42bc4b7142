import { expect, it } from 'vitest';
import type { Usage } from '../../../../lib/contract/usage.ts';
import { tokensOf } from '../../../../lib/counters/stats-items.ts';
import { decide } from '../../../../lib/jobs/lifecycle/lifecycle.ts';
import type { Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { viewJob } from '../../../../lib/jobs/views/job-view.ts';
import { aJob } from '../a-job.ts';

const USED: Usage = { input_tokens: 10, cached_input_tokens: 1, output_tokens: 2, reasoning_output_tokens: 0 };
const STREAM = { bytes: 0, lines: 0, sha256: '', complete: true };

function receiptOf(attempt: number, usage?: Usage): Receipt {
  return {
    version: 1,
    job_id: 'job_1',
    attempt,
    worker_id: 'w',
    started_at: '2026-11-20T10:00:00.000Z',
    finished_at: '2026-11-20T10:01:00.000Z',
    outcome: { kind: 'failed', reason: 'exited', exit_code: 1, signal: null },
    composed_prompt: '',
    streams: { stdout: STREAM, stderr: STREAM },
    documents: [],
    ...(usage && { usage }),
  };
}

it('the usage of earlier attempts is kept, and counts once', () => {
  const circumstances = { now: Date.parse('2026-11-20T10:01:00.000Z'), random: () => 0.5 };
  let job = aJob({ id: 'job_1', retries: 9 });
  for (const [attempt, usage] of [
    [1, USED],
    [2, undefined],
    [3, { ...USED, cost_usd: 0.25 }],
  ] as const) {
    const running = { ...job, status: 'RUNNING' as const, attempt };
    const decision = decide(running, { type: 'end', receipt: receiptOf(attempt, usage) }, circumstances);
    if ('rejected' in decision) throw new Error(decision.rejected);
    job = decision.job;
  }
  expect(job.usage).toEqual({ ...USED, cost_usd: 0.25 });
  const { usage, total_usage } = viewJob(job, { prompt: '', project: 'p' }, 'seconds', { deployments: [] });
  expect(usage).toEqual(job.usage);
  expect(total_usage).toEqual({ ...USED, input_tokens: 20, cached_input_tokens: 2, output_tokens: 4, cost_usd: 0.25 });
  expect(tokensOf(job)).toEqual({ t_in: 20, t_cached: 2, t_out: 4, t_reasoning: 0, t_cost: 250_000 });
});
