import { NOT_ENFORCED } from '../../contract/scopes.ts';
import type { TokenInfo } from './token-store.ts';

/** A token as the API returns it. */
export function viewToken<T extends TokenInfo>(token: T, scopesEnforced: boolean) {
  return {
    ...token,
    ...enforcementOf(scopesEnforced, token.state !== 'revoked'),
    expires_at: token.expires_at ?? null,
    last_used_at: token.last_used_at ?? null,
  };
}

/**
 * What responses add to scopes.
 * @param isUsable whether the token is accepted, or can be again
 */
export function enforcementOf(scopesEnforced: boolean, isUsable: boolean) {
  return {
    scopes_enforced: scopesEnforced,
    scopes_note: scopesEnforced || !isUsable ? null : NOT_ENFORCED.token,
  };
}
