import { BASE_PATH } from './route.ts';
import { type Scope, UNMAPPED_SCOPE } from './scopes.ts';

/**
 * The scopes of resource families without routes, or with routes for a part of them, to read and to change them. A caller
 * is authorized as if the routes existed, before the API answers 404. What no other scope grants needs `admin`, so
 * that no token gains a right when the routes come.
 */
export const SCOPE_FAMILIES = {
  projects: { read: 'admin', change: 'write' },
  'terminal-sessions': { read: 'write', change: 'write' },
} as const satisfies Readonly<Record<string, Readonly<Record<'read' | 'change', Scope>>>>;

const USES: Readonly<Record<string, 'read' | 'change'>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'change',
  PUT: 'change',
  PATCH: 'change',
  DELETE: 'change',
};

/** The output of terminals is as sensitive as the log of a job. */
const TERMINAL_OUTPUT = /^\/terminal-sessions\/[^/]+\/output(\/|$)/;

/** The scope that a path and method without a route require. `path` is the full path: `/api/v1/exports/7`. */
export function unmappedScope(method: string, path: string): Scope {
  const relative = path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : '';
  const use = Object.hasOwn(USES, method) ? USES[method] : undefined;
  if (use === 'read' && TERMINAL_OUTPUT.test(relative)) return 'logs';
  const family = Object.entries(SCOPE_FAMILIES).find(([name]) => `${relative}/`.startsWith(`/${name}/`));
  return family === undefined || use === undefined ? UNMAPPED_SCOPE : family[1][use];
}
