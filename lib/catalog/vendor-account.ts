import { PROFILE_CREDENTIALS } from '../contract/agents.ts';
import type { Profile } from './profiles.ts';

/**
 * Identifies the vendor account that a profile's agents use: what is learned about it applies to all profiles that
 * share it.
 */
export function accountOf({ agent, vendor, env }: Pick<Profile, 'agent' | 'vendor' | 'env'>): string {
  const own = Object.entries(env).filter(([name]) => PROFILE_CREDENTIALS.has(name));
  return JSON.stringify([agent, vendor, ...own.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
