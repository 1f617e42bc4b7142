/** Permissions of tokens. `admin` grants every route. */
export const SCOPES = ['read', 'write', 'logs', 'attachments', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes of a token that was created without any. */
export const DEFAULT_SCOPES = ['read', 'write'] as const satisfies readonly Scope[];

/** Note on a token's scopes if the deployment does not enforce them. */
export const NOT_ENFORCED = {
  token: 'Scopes are not enforced here: this token has full access.',
  list: 'Scopes are not enforced here: every token has full access.',
} as const;

/** The scope that a path or method without a route asks for, but for the families of `scope-families.ts`. */
export const UNMAPPED_SCOPE = 'admin' satisfies Scope;
