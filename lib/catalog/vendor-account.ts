import type { Profile } from './profiles.ts';

/** Variables by which a profile gives its agent a separate vendor account. */
const CREDENTIALS: readonly string[] = [
  'CODEX_API_KEY',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
];

/**
 * Identifies the vendor account that a profile's agents use: what is learned about it applies to all profiles that
 * share it.
 */
export function accountOf({ agent, vendor, env }: Pick<Profile, 'agent' | 'vendor' | 'env'>): string {
  const own = Object.entries(env).filter(([name]) => CREDENTIALS.includes(name));
  return JSON.stringify([agent, vendor, ...own.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
