import type { Job } from './job.ts';
import type { Receipt } from './receipt.ts';

/** What an attempt leaves on its job, whatever it means for it. */
export type Evidence = Pick<
  Job,
  'exit_code' | 'signal' | 'error' | 'session_id' | 'usage' | 'stdout_bytes' | 'stderr_bytes'
>;

/** What the attempt of a receipt left behind. */
export function evidenceOf({ outcome, streams, session_id, usage }: Receipt): Evidence {
  return {
    ...(outcome.exit_code !== null && { exit_code: outcome.exit_code }),
    ...(outcome.signal !== null && { signal: outcome.signal }),
    ...(outcome.error !== undefined && { error: outcome.error.slice(0, 300) }),
    ...(session_id !== undefined && { session_id }),
    ...(usage !== undefined && { usage }),
    stdout_bytes: streams.stdout.bytes,
    stderr_bytes: streams.stderr.bytes,
  };
}

/** The job with this evidence in place of what it had; a session and its usage may be an earlier attempt's. */
export function corrected({ exit_code: _code, signal: _signal, error: _error, ...job }: Job, evidence: Evidence): Job {
  return { ...job, ...evidence };
}
