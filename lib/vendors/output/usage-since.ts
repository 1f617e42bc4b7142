import type { Usage } from '../../contract/usage.ts';

/** The usage of a total since an earlier one: never below 0. */
export function usageSince(total: Usage, before: Usage | undefined): Usage {
  if (before === undefined) return total;
  const less = (all: number, earlier: number) => Math.max(0, all - earlier);
  return {
    input_tokens: less(total.input_tokens, before.input_tokens),
    cached_input_tokens: less(total.cached_input_tokens, before.cached_input_tokens),
    output_tokens: less(total.output_tokens, before.output_tokens),
    reasoning_output_tokens: less(total.reasoning_output_tokens, before.reasoning_output_tokens),
    ...(total.cost_usd !== undefined && { cost_usd: less(total.cost_usd, before.cost_usd ?? 0) }),
  };
}
