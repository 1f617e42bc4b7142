import * as z from 'zod';
import type { Usage } from '../../jobs/receipts/receipt.ts';
import type { SessionMeter, SessionPart } from '../output/agent-output.ts';
import { createJsonLines } from '../output/json-lines.ts';
import { usageSince } from '../output/usage-since.ts';
import { modelUsageSchema, usageOf } from './claude-events.ts';

/**
 * Takes what earlier attempts used from what claude reports. claude 2.1.328 writes its totals into the session when it
 * ends, and counts on from there when it resumes; a session that was killed has the totals of the run before. One that
 * is asked to end may write its totals without reporting them.
 */
export function createClaudeMeter(): SessionMeter {
  const totals: Partial<Record<SessionPart, Usage | undefined>> = {};
  let part: SessionPart = 'own';
  const lines = createJsonLines(
    (line) => {
      totals[part] = totalsSchema.safeParse(line).data ?? totals[part];
    },
    { mentioning: ['cost-state'] },
  );
  return {
    push(chunk, of) {
      part = of;
      lines.push(chunk);
    },
    reset() {
      totals.own = undefined;
    },
    usage(reported) {
      const total = reported ?? totals.own ?? totals.unbilled;
      return total === undefined ? undefined : usageSince(total, totals.billed);
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
