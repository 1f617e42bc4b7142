import { LIMITS } from '../../../../lib/contract/limits.ts';

/** How many characters the agents take as a prompt; those that aren't named take what fits into a body. */
export const PROMPT_LIMITS: Readonly<Record<string, number>> = {
  codex: LIMITS.codexPromptLength,
  claude: LIMITS.claudePromptLength,
};
