import * as z from 'zod';
import type { Usage } from '../../jobs/receipts/receipt.ts';
import type { SessionMeter } from '../output/agent-output.ts';
import { createJsonLines } from '../output/json-lines.ts';
import { codexTokensSchema } from './codex-tokens.ts';

/**
 * Sums the model calls in codex's session. Since 0.169 the session has a record of each call, even of a turn that was
 * cut off; the usage of `turn.completed` includes the turns before, unless one of them was killed.
 */
export function createCodexMeter(): SessionMeter {
  let total: Usage | undefined;
  let hasBilled = false;
  const lines = createJsonLines((line) => {
    const record = recordSchema.safeParse(line).data;
    if (record !== undefined) total = total === undefined ? record : sum(total, record);
  });
  return {
    push(chunk, isBilled) {
      if (isBilled) hasBilled = true;
      else lines.push(chunk);
    },
    reset() {
      total = undefined;
    },
    usage: (reported) => total ?? (hasBilled ? undefined : reported),
  };
}

const recordSchema = z
  .object({
    type: z.literal('token_usage_record'),
    // The agent can write into its session.
    payload: z.object({
      usage: codexTokensSchema.refine((usage) => Object.values(usage).every((count) => count >= 0)),
    }),
  })
  .transform(({ payload }) => payload.usage);

function sum(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    reasoning_output_tokens: a.reasoning_output_tokens + b.reasoning_output_tokens,
  };
}
