import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import type { Usage } from '../../contract/usage.ts';
import type { AgentOutput, SessionMeter, SessionPart } from '../output/agent-output.ts';
import { createJsonLines, MOST_OF_A_RECORD } from '../output/json-lines.ts';
import { usageSince } from '../output/usage-since.ts';
import { createCodexReader } from './codex-events.ts';
import { failureOf } from './codex-failure.ts';
import { codexTokensSchema } from './codex-tokens.ts';

/** The output of OpenAI's codex CLI: events on stdout, errors on stderr. Texts are those of version 0.169.0. */
export const codexOutput: AgentOutput = {
  createReader: createCodexReader,
  createMeter: createCodexMeter,

  conclude(facts, { exitCode, stderrTail }) {
    if (facts.error !== undefined || exitCode === null) return facts;
    // The app server exits with 0 whenever its input ends.
    if (exitCode === 0) return facts.open === true ? { ...facts, error: 'codex exited before its turn ended' } : facts;
    const error = complaintOf(stderrTail);
    return error === undefined ? facts : { ...failureOf({ message: error }), ...facts, error };
  },
};

/** codex's message on stderr before it exited: its last error, otherwise its last line that isn't chatter. */
function complaintOf(stderrTail: string): string | undefined {
  const lines = stripVTControlCharacters(stderrTail)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !CHATTER.test(line));
  const said = lines.findLast((line) => /^error\b/i.test(line)) ?? lines.at(-1);
  return said?.replace(LOG_PREFIX, '').replace(/^error:\s*/i, '');
}

const CHATTER = /^(WARNING: |Reading (additional input|prompt) from stdin)/;
const LOG_PREFIX = /^\d{4}-\d\d-\d\dT\S+\s+[A-Z]+\s+\S+:\s+/;

/**
 * Sums the model calls in codex's session. Since 0.169 the session has a record of each call, even of a turn that was
 * cut off. The totals in codex's output continue from the last total in the session that it was given: calls that the
 * saved session lacks are known from them.
 */
function createCodexMeter(): SessionMeter {
  let restored: Usage | undefined;
  let own: Usage | undefined;
  let totalBefore: Usage | undefined;
  let part: SessionPart = 'own';
  const lines = createJsonLines(
    (line) => {
      const { usage, total } = lineSchema.safeParse(line).data ?? {};
      if (part === 'own') own = sum(own, usage);
      else totalBefore = total ?? totalBefore;
      if (part === 'unbilled') restored = sum(restored, usage);
    },
    { maxLineBytes: MOST_OF_A_RECORD, mentioning: ['token_usage_record', 'token_count'] },
  );
  return {
    push(chunk, of) {
      part = of;
      lines.push(chunk);
    },
    reset() {
      own = undefined;
    },
    usage(reported) {
      const since = reported === undefined ? undefined : usageSince(reported, totalBefore);
      return sum(restored, larger(own, since));
    },
  };
}

// The agent can write into its session.
const tokensSchema = codexTokensSchema.refine((usage) => Object.values(usage).every((count) => count >= 0));
const lineSchema = z.union([
  z
    .object({ type: z.literal('token_usage_record'), payload: z.object({ usage: tokensSchema }) })
    .transform(({ payload }) => ({ usage: payload.usage, total: undefined })),
  z
    .object({
      type: z.literal('event_msg'),
      payload: z.object({ type: z.literal('token_count'), info: z.object({ total_token_usage: tokensSchema }) }),
    })
    .transform(({ payload }) => ({ usage: undefined, total: payload.info.total_token_usage })),
]);

function sum(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  return combined(a, b, (one, other) => one + other);
}

function larger(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  return combined(a, b, Math.max);
}

function combined(
  a: Usage | undefined,
  b: Usage | undefined,
  combine: (one: number, other: number) => number,
): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    input_tokens: combine(a.input_tokens, b.input_tokens),
    cached_input_tokens: combine(a.cached_input_tokens, b.cached_input_tokens),
    output_tokens: combine(a.output_tokens, b.output_tokens),
    reasoning_output_tokens: combine(a.reasoning_output_tokens, b.reasoning_output_tokens),
  };
}
