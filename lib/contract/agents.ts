/** The supported agent CLIs, and the plain shell. */
export const AGENTS = ['codex', 'claude', 'shell'] as const;
