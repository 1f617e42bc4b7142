/** Tokens of codex's model calls. */
interface CodexTokens {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
}

/** Names and numbers to show. */
export function codexTokens(usage: CodexTokens): (readonly [string, string])[] {
  return [
    ['Input', `${usage.input_tokens.toLocaleString('en')} tokens`],
    ['of which cached', usage.cached_input_tokens.toLocaleString('en')],
    ['Output', `${usage.output_tokens.toLocaleString('en')} tokens`],
    ['of which reasoning', usage.reasoning_output_tokens.toLocaleString('en')],
  ];
}
