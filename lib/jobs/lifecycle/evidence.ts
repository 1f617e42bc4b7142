import { LIMITS } from '../../contract/limits.ts';
import type { Job } from './job.ts';
import type { Receipt, Usage } from './receipt.ts';

/** What an attempt leaves on its job, whatever it means for it. */
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
>;

/** What the attempt of a receipt left behind. */
export function evidenceOf({
  outcome,
  streams,
  session_id,
  usage,
  agent,
  model,
  warnings = [],
  changes,
}: Receipt): Evidence {
  return {
    ...(outcome.exit_code !== null && { exit_code: outcome.exit_code }),
    ...(outcome.signal !== null && { signal: outcome.signal }),
    ...(outcome.error !== undefined && { error: storable(outcome.error) }),
    ...(session_id !== undefined && { session_id: storable(session_id) }),
    ...(usage !== undefined && { usage: storableUsage(usage) }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model_used: storable(model) }),
    ...warned(warnings),
    ...(changes !== undefined && { has_changes: true }),
    stdout_bytes: streams.stdout.bytes,
    stderr_bytes: streams.stderr.bytes,
  };
}

/** How many warnings of an attempt are on its job's item. */
const MAX_ATTEMPT_WARNINGS = 3;

/** Warnings of an attempt as its job keeps them. */
export function warned(warnings: readonly string[]): Pick<Evidence, 'attempt_warnings'> {
  if (warnings.length === 0) return {};
  const kept = warnings.slice(0, MAX_ATTEMPT_WARNINGS);
  return { attempt_warnings: kept.map((text) => text.slice(0, LIMITS.warnings.length)) };
}

/** Longest text of an attempt on its job's item, in UTF-16 units. */
const LONGEST_TEXT = 300;

/** Half of a surrogate pair, which a cut can leave and JSON can hold, would have the table refuse the whole outcome, now and ever. */
function storable(text: string): string {
  return text.slice(0, LONGEST_TEXT).toWellFormed();
}

/** The table keeps no number next to 0, and the SDK sends none beyond safe integers; a vendor's CLI may say anything. */
function storableUsage({ cost_usd, ...tokens }: Usage): Usage {
  return {
    input_tokens: storableNumber(tokens.input_tokens),
    cached_input_tokens: storableNumber(tokens.cached_input_tokens),
    output_tokens: storableNumber(tokens.output_tokens),
    reasoning_output_tokens: storableNumber(tokens.reasoning_output_tokens),
    ...(cost_usd !== undefined && { cost_usd: storableNumber(cost_usd) }),
  };
}

function storableNumber(number: number): number {
  return number < 1e-100 ? 0 : Math.min(number, Number.MAX_SAFE_INTEGER);
}

/** The job with this evidence in place of what it had; a session and its usage may be an earlier attempt's, and the agent that of an edit since. */
export function corrected(
  { exit_code: _code, signal: _signal, error: _error, attempt_warnings: _warnings, has_changes: _changes, ...job }: Job,
  { agent: _agent, ...evidence }: Evidence,
): Job {
  return { ...job, ...evidence };
}
