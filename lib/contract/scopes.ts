/** What a token may be allowed to do. `admin` grants every route. */
export const SCOPES = ['read', 'write', 'logs', 'attachments', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a token gets that was created without saying which. */
export const DEFAULT_SCOPES = ['read', 'write'] as const satisfies readonly Scope[];

/** What stands beside a token's scopes where the deployment does not enforce them. */
export const NOT_ENFORCED = {
  token: 'Scopes are not enforced here: this token may do everything.',
  list: 'Scopes are not enforced here: every token may do everything.',
} as const;

/** The scope that a path or method without a route asks for, but for the families of `scope-families.ts`. */
export const UNMAPPED_SCOPE = 'admin' satisfies Scope;
