import type { AgentDefinition } from './definition.ts';

export const codex = {
  // codex's own limit; with a longer prompt it exits with 1.
  maxPromptLength: 1_048_576,
  binary: 'PROMPTQ_CODEX_BIN',
  isInImage: true,
  abilities: { resume: true, steer: true, ask: true },
  credentials: { OPENAI_API_KEY: 'CODEX_API_KEY' },
} as const satisfies AgentDefinition;
