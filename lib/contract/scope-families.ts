import { BASE_PATH } from './route.ts';
import { type Scope, UNMAPPED_SCOPE } from './scopes.ts';

/**
 * Resource families that have scopes but no routes yet. A caller is authorized as if the routes existed, before the API
 * answers 404. Reading requires `read`, changing requires `write`.
 */
export const SCOPE_FAMILIES = [
  'automations',
  'diagrams',
  'exports',
  'parameters',
  'platform',
  'templates',
  'terminal-sessions',
] as const;

const SCOPE_BY_METHOD: Readonly<Record<string, Scope>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'write',
  PUT: 'write',
  PATCH: 'write',
  DELETE: 'write',
};

/** The output of terminals is as sensitive as the log of a job. */
const TERMINAL_OUTPUT = /^\/terminal-sessions\/[^/]+\/output(\/|$)/;

/** The scope that a path and method without a route require. `path` is the full path: `/api/v1/templates/7`. */
export function unmappedScope(method: string, path: string): Scope {
  const relative = path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : '';
  const family = SCOPE_FAMILIES.find((name) => relative === `/${name}` || relative.startsWith(`/${name}/`));
  const scope = family !== undefined && Object.hasOwn(SCOPE_BY_METHOD, method) ? SCOPE_BY_METHOD[method] : undefined;
  if (scope === 'read' && TERMINAL_OUTPUT.test(relative)) return 'logs';
  return scope ?? UNMAPPED_SCOPE;
}
