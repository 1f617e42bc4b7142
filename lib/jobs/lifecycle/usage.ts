import type { Usage } from './receipt.ts';

/** Adds two usages. */
export function addUsage(usage: Usage, other: Usage | undefined): Usage {
  if (other === undefined) return usage;
  const cost =
    usage.cost_usd === undefined && other.cost_usd === undefined
      ? undefined
      : (usage.cost_usd ?? 0) + (other.cost_usd ?? 0);
  return {
    input_tokens: usage.input_tokens + other.input_tokens,
    cached_input_tokens: usage.cached_input_tokens + other.cached_input_tokens,
    output_tokens: usage.output_tokens + other.output_tokens,
    reasoning_output_tokens: usage.reasoning_output_tokens + other.reasoning_output_tokens,
    ...(cost !== undefined && { cost_usd: cost }),
  };
}
