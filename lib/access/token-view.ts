import type { TokenInfo } from './token-store.ts';

/** A token as answers show it. */
export function viewToken<T extends TokenInfo>(token: T) {
  return { ...token, expires_at: token.expires_at ?? null, last_used_at: token.last_used_at ?? null };
}
