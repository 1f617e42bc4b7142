import type { Receipt } from './receipt.ts';

/** The record of an attempt whose output is deleted: when it ran, how it ended, what it used, what it was granted. */
export function withoutOutput(receipt: Receipt): Receipt {
  const { kind, reason, exit_code, signal, final, until } = receipt.outcome;
  const { version, job_id, attempt, worker_id, agent, drive, granted, started_at, finished_at } = receipt;
  const { model, usage, usage_from, resumed_from, chain, messages, streams } = receipt;
  return {
    ...{ version, job_id, attempt, worker_id, agent, drive, granted, started_at, finished_at },
    outcome: { kind, reason, exit_code, signal, final, until },
    ...{ model, usage, usage_from, resumed_from, chain, messages },
    composed_prompt: '',
    streams: { stdout: { ...streams.stdout, sha256: '' }, stderr: { ...streams.stderr, sha256: '' } },
    documents: [],
  };
}
