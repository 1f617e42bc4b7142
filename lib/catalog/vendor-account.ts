import type { Profile } from './profiles.ts';

/** Variables by which a profile gives its agent an account of its own. */
const CREDENTIALS: readonly string[] = [
  'CODEX_API_KEY',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
];

/** Names the vendor account that agents of a profile work by: what is found out about it holds for all profiles of the same name. */
export function accountOf({ agent, vendor, env }: Pick<Profile, 'agent' | 'vendor' | 'env'>): string {
  const own = Object.entries(env).filter(([name]) => CREDENTIALS.includes(name));
  return JSON.stringify([agent, vendor, ...own.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
