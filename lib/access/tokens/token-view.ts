import { NOT_ENFORCED } from '../../contract/scopes.ts';
import type { TokenInfo } from './token-store.ts';

/** A token as answers show it. */
export function viewToken<T extends TokenInfo>(token: T, scopesEnforced: boolean) {
  return {
    ...token,
    ...enforcementOf(scopesEnforced, token.state !== 'revoked'),
    expires_at: token.expires_at ?? null,
    last_used_at: token.last_used_at ?? null,
  };
}

/**
 * What answers say beside scopes.
 * @param isUsable whether they are those of a token that is accepted, or can be again
 */
export function enforcementOf(scopesEnforced: boolean, isUsable: boolean) {
  return {
    scopes_enforced: scopesEnforced,
    scopes_note: scopesEnforced || !isUsable ? null : NOT_ENFORCED.token,
  };
}
