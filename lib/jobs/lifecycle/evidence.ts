import { LIMITS } from '../../contract/limits.ts';
import { boundedUsage } from '../../contract/usage.ts';
import type { Receipt } from '../receipts/receipt.ts';
import type { Job } from './job.ts';

/** What an attempt records on its job, whatever its outcome. */
export type Evidence = Pick<
  Job,
  | 'exit_code'
  | 'signal'
  | 'error'
  | 'session_id'
  | 'usage'
  | 'agent'
  | 'model_used'
  | 'stdout_bytes'
  | 'stderr_bytes'
  | 'attempt_warnings'
  | 'has_changes'
  | 'resumed_from'
>;

/** The evidence in an attempt's receipt. */
export function evidenceOf({
  outcome,
  streams,
  session_id,
  usage,
  agent,
  model,
  warnings = [],
  changes,
  resumed_from,
}: Receipt): Evidence {
  return {
    ...(outcome.exit_code !== null && { exit_code: outcome.exit_code }),
    ...(outcome.signal !== null && { signal: outcome.signal }),
    ...(outcome.error !== undefined && { error: storable(outcome.error) }),
    ...(session_id !== undefined && { session_id: storable(session_id) }),
    ...(usage !== undefined && { usage: boundedUsage(usage) }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model_used: storable(model) }),
    ...warned(warnings),
    ...(changes !== undefined && { has_changes: true }),
    ...(resumed_from !== undefined && { resumed_from }),
    stdout_bytes: streams.stdout.bytes,
    stderr_bytes: streams.stderr.bytes,
  };
}

/** Warnings of an attempt that its job's item keeps. */
const MAX_ATTEMPT_WARNINGS = 3;

/** An attempt's warnings in the form stored on its job. */
export function warned(warnings: readonly string[]): Pick<Evidence, 'attempt_warnings'> {
  if (warnings.length === 0) return {};
  const kept = warnings.slice(0, MAX_ATTEMPT_WARNINGS);
  return { attempt_warnings: kept.map((text) => text.slice(0, LIMITS.warnings.length).toWellFormed()) };
}

/** Longest text of an attempt on its job's item, in UTF-16 units. */
const MAX_TEXT_LENGTH = 300;

/** Half of a surrogate pair, which a cut can leave, would make the table reject the outcome every time. */
function storable(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).toWellFormed();
}

/**
 * The job with new evidence. It keeps its agent, which may come from a later edit, and session and usage if there are
 * no newer ones.
 */
export function corrected(
  {
    exit_code: _code,
    signal: _signal,
    error: _error,
    attempt_warnings: _warnings,
    has_changes: _changes,
    resumed_from: _resumed,
    ...job
  }: Job,
  { agent: _agent, ...evidence }: Evidence,
): Job {
  return { ...job, ...evidence };
}
