import type { AgentDefinition } from './definition.ts';

export const claude = {
  // By the drive `exec`, claude reads 10 Mi UTF-16 units, and a character can take two.
  maxPromptLength: 5_242_880,
  binary: 'PROMPTQ_CLAUDE_BIN',
  isInImage: true,
  abilities: { resume: true, steer: true, ask: true },
  // An API key, or the token of a subscription (`claude setup-token`).
  credentials: {
    ANTHROPIC_API_KEY: 'ANTHROPIC_API_KEY',
    CLAUDE_CODE_OAUTH_TOKEN: 'CLAUDE_CODE_OAUTH_TOKEN',
  },
} as const satisfies AgentDefinition;
