/** The vendors' CLIs that there are adapters for, and the plain shell. */
export const AGENTS = ['codex', 'claude', 'shell'] as const;
