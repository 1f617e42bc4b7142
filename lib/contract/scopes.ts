/** What a token may be allowed to do. `admin` grants every route. */
export const SCOPES = ['read', 'write', 'logs', 'attachments', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a token gets that was created without saying which. */
export const DEFAULT_SCOPES = ['read', 'write'] as const satisfies readonly Scope[];

/** The scope that a path or method without a route asks for, but for the families of `scope-families.ts`. */
export const UNMAPPED_SCOPE = 'admin' satisfies Scope;
