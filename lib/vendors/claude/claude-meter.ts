import * as z from 'zod';
import { addUsage, type Usage } from '../../jobs/receipts/receipt.ts';
import type { SessionMeter, SessionPart } from '../output/agent-output.ts';
import { createJsonLines } from '../output/json-lines.ts';
import { usageSince } from '../output/usage-since.ts';
import { modelUsageSchema, usageOf } from './claude-events.ts';

/**
 * Takes what earlier attempts used from what claude reports. claude 2.1.328 writes its totals into the session when it
 * ends, and counts on from there when it resumes. One that is asked to end may write its totals without reporting
 * them. One that is killed writes none, and the next run's totals leave its calls out: they are summed up from its
 * messages, without a cost, which those do not have.
 */
export function createClaudeMeter(): SessionMeter {
  const totals: Partial<Record<SessionPart, Usage | undefined>> = {};
  /** By id, since the last totals. A message is a line for each of its blocks, with the tokens as known by then. */
  const calls: Readonly<Record<SessionPart, Map<string, Usage>>> = {
    billed: new Map(),
    unbilled: new Map(),
    own: new Map(),
  };
  let part: SessionPart = 'own';
  const lines = createJsonLines(
    (line) => {
      const found = lineSchema.safeParse(line).data;
      if (found === undefined) return;
      if ('id' in found) {
        calls[part].set(found.id, found.usage);
        return;
      }
      totals[part] = found.totals ?? totals[part];
      calls[part].clear();
    },
    { mentioning: ['cost-state', '"type":"assistant"'] },
  );
  return {
    push(chunk, of) {
      part = of;
      lines.push(chunk);
    },
    reset() {
      totals.own = undefined;
      calls.own.clear();
    },
    usage(reported) {
      const total = reported ?? totals.own ?? totals.unbilled;
      const since = total === undefined ? undefined : usageSince(total, totals.billed);
      const killed = [...calls.unbilled.values(), ...(reported === undefined ? calls.own.values() : [])];
      return killed.reduce((sum: Usage | undefined, one) => addUsage(one, sum), since);
    },
  };
}

const count = z.number().nonnegative().default(0);
const lineSchema = z.union([
  z
    .object({
      type: z.literal('cost-state'),
      totalCostUSD: z.number().optional(),
      modelUsage: z.record(z.string(), modelUsageSchema),
    })
    .transform(({ totalCostUSD, modelUsage }) => ({ totals: usageOf({ modelUsage, total_cost_usd: totalCostUSD }) })),
  z
    .object({
      type: z.literal('assistant'),
      message: z.object({
        id: z.string(),
        // What claude words itself, such as a failure, is no call.
        model: z.string().refine((model) => model !== '<synthetic>'),
        usage: z.object({
          input_tokens: count,
          cache_creation_input_tokens: count,
          cache_read_input_tokens: count,
          output_tokens: count,
          output_tokens_details: z.object({ thinking_tokens: count }).nullish().catch(undefined),
        }),
      }),
    })
    .transform(({ message: { id, usage } }) => ({
      id,
      usage: {
        input_tokens: usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
        cached_input_tokens: usage.cache_read_input_tokens,
        output_tokens: usage.output_tokens,
        reasoning_output_tokens: usage.output_tokens_details?.thinking_tokens ?? 0,
      },
    })),
]);
