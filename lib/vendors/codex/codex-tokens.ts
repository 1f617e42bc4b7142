import * as z from 'zod';

const count = z.number().default(0);

/** Tokens as `codex exec` and the sessions of codex report them. */
export const codexTokensSchema = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  output_tokens: count,
  reasoning_output_tokens: count,
});

/** Tokens as `codex app-server` reports them, by the names of `codex exec`. */
export const appServerTokensSchema = z
  .object({
    inputTokens: z.number(),
    cachedInputTokens: z.number(),
    outputTokens: z.number(),
    reasoningOutputTokens: z.number(),
  })
  .transform((tokens) => ({
    input_tokens: tokens.inputTokens,
    cached_input_tokens: tokens.cachedInputTokens,
    output_tokens: tokens.outputTokens,
    reasoning_output_tokens: tokens.reasoningOutputTokens,
  }));
