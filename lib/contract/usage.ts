import * as z from 'zod';

/** Tokens that an attempt used, and their cost if the CLI reports it. */
export const usageSchema = z.object({
  input_tokens: z.number(),
  cached_input_tokens: z.number(),
  output_tokens: z.number(),
  reasoning_output_tokens: z.number(),
  cost_usd: z.number().optional(),
});
export type Usage = z.output<typeof usageSchema>;

/**
 * The most that counts of one job, in tokens and dollars: far more than an agent can use. A CLI may report any number,
 * and agents can write into their sessions. The sums over jobs must stay safe integers, dollars in millionths too.
 */
const MOST = { tokens: 1e12, dollars: 1e6 } as const;

/** A usage with numbers that the table takes: it rejects those that are almost 0, the SDK those beyond safe integers. */
export function boundedUsage({ cost_usd, ...tokens }: Usage): Usage {
  return {
    input_tokens: bounded(tokens.input_tokens, MOST.tokens),
    cached_input_tokens: bounded(tokens.cached_input_tokens, MOST.tokens),
    output_tokens: bounded(tokens.output_tokens, MOST.tokens),
    reasoning_output_tokens: bounded(tokens.reasoning_output_tokens, MOST.tokens),
    ...(cost_usd !== undefined && { cost_usd: bounded(cost_usd, MOST.dollars) }),
  };
}

function bounded(number: number, most: number): number {
  return number >= 1e-100 ? Math.min(number, most) : 0;
}

/** Adds two usages. */
export function addUsage(usage: Usage, other: Usage | undefined): Usage {
  if (other === undefined) return boundedUsage(usage);
  const cost =
    usage.cost_usd === undefined && other.cost_usd === undefined
      ? undefined
      : (usage.cost_usd ?? 0) + (other.cost_usd ?? 0);
  return boundedUsage({
    input_tokens: usage.input_tokens + other.input_tokens,
    cached_input_tokens: usage.cached_input_tokens + other.cached_input_tokens,
    output_tokens: usage.output_tokens + other.output_tokens,
    reasoning_output_tokens: usage.reasoning_output_tokens + other.reasoning_output_tokens,
    ...(cost !== undefined && { cost_usd: cost }),
  });
}
