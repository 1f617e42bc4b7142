/** Tokens of codex's model calls. */
interface CodexTokens {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
}

/** Names and numbers to show. @param isOfSession whether they include the session's earlier turns */
export function codexTokens(usage: CodexTokens, isOfSession = false): (readonly [string, string])[] {
  return [
    [isOfSession ? 'Session input' : 'Input', `${usage.input_tokens.toLocaleString('en')} tokens`],
    ['of which cached', usage.cached_input_tokens.toLocaleString('en')],
    [isOfSession ? 'output' : 'Output', `${usage.output_tokens.toLocaleString('en')} tokens`],
    ['of which reasoning', usage.reasoning_output_tokens.toLocaleString('en')],
  ];
}
