import type { AgentDefinition } from './definition.ts';

/** A bash script, which needs no CLI. */
export const shell = {
  // Its prompt is a file, whose length has no limit.
  maxPromptLength: Number.POSITIVE_INFINITY,
  isInImage: false,
  abilities: { resume: false, steer: false, ask: false },
  credentials: {},
} as const satisfies AgentDefinition;
