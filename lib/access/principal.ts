import type { Role } from '../contract/roles.ts';
import type { Scope } from '../contract/scopes.ts';

/** The scopes that each role includes. */
export const ROLE_SCOPES = {
  viewer: ['read', 'logs', 'attachments'],
  operator: ['read', 'logs', 'attachments', 'write'],
  admin: ['read', 'logs', 'attachments', 'write', 'admin'],
} as const satisfies Record<Role, readonly Scope[]>;

/**
 * An authenticated caller. `name` identifies it in records; the credential expires at `expiresAt` (RFC 3339). `keyOwner`:
 * see `keyOwnerOf`.
 */
export type Principal =
  /** `token:<name of the token>`; `id` names its item and proves nothing */
  | {
      readonly kind: 'token';
      readonly name: string;
      readonly id: string;
      readonly scopes: readonly Scope[];
      readonly expiresAt?: string;
      readonly keyOwner?: string;
    }
  /** `perimeter`: the deployment's own trusted proxy */
  | { readonly kind: 'perimeter'; readonly name: string }
  /** `user:<email>`: a browser after sign-in; `sessionId` names the session and proves nothing */
  | {
      readonly kind: 'session';
      readonly name: string;
      readonly role: Role;
      readonly sessionId: string;
      readonly email?: string;
      readonly expiresAt?: string;
      readonly keyOwner?: string;
    }
  /** `telegram:<user id>` */
  | { readonly kind: 'telegram'; readonly name: string; readonly role: Role };

/**
 * Whose idempotency keys a caller uses: the same in all sessions of a person, and for a token and those that replace it.
 * Not to be shown, so that no other caller can compute the ids that are derived from it.
 */
export function keyOwnerOf(principal: Principal): string {
  return ('keyOwner' in principal ? principal.keyOwner : undefined) ?? principal.name;
}
