import * as z from 'zod';
import type { Usage } from '../../jobs/receipts/receipt.ts';
import type { SessionMeter } from '../output/agent-output.ts';
import { createJsonLines } from '../output/json-lines.ts';
import { modelUsageSchema, usageOf } from './claude-events.ts';

/**
 * Takes what earlier attempts used from what claude reports. claude 2.1.328 writes its totals into the session when it
 * ends, and counts on from there when it resumes; a session that was killed has the totals of the run before.
 */
export function createClaudeMeter(): SessionMeter {
  let before: Usage | undefined;
  const lines = createJsonLines((line) => {
    before = totalsSchema.safeParse(line).data ?? before;
  });
  return {
    push(chunk, isBilled) {
      if (isBilled) lines.push(chunk);
    },
    reset() {},
    usage(reported) {
      return reported === undefined || before === undefined ? reported : difference(reported, before);
    },
  };
}

const totalsSchema = z
  .object({
    type: z.literal('cost-state'),
    totalCostUSD: z.number().optional(),
    modelUsage: z.record(z.string(), modelUsageSchema),
  })
  .transform(({ totalCostUSD, modelUsage }) => usageOf({ modelUsage, total_cost_usd: totalCostUSD }));

function difference(total: Usage, before: Usage): Usage {
  const less = (all: number, earlier: number) => Math.max(0, all - earlier);
  return {
    input_tokens: less(total.input_tokens, before.input_tokens),
    cached_input_tokens: less(total.cached_input_tokens, before.cached_input_tokens),
    output_tokens: less(total.output_tokens, before.output_tokens),
    reasoning_output_tokens: less(total.reasoning_output_tokens, before.reasoning_output_tokens),
    ...(total.cost_usd !== undefined && { cost_usd: less(total.cost_usd, before.cost_usd ?? 0) }),
  };
}
