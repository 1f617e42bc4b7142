import { BASE_PATH } from './route.ts';
import { type Scope, UNMAPPED_SCOPE } from './scopes.ts';

/**
 * Families of resources that the scopes speak of and that have no route (yet): a caller is judged there as it would be if
 * they had, before it is told that nothing is there. Reading asks for `read`, changing for `write`.
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

/** What terminals have written is as telling as a job's log. */
const TERMINAL_OUTPUT = /^\/terminal-sessions\/[^/]+\/output(\/|$)/;

/** The scope that a path and method without a route asks for. `path` is whole: `/api/v1/templates/7`. */
export function unmappedScope(method: string, path: string): Scope {
  const relative = path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : '';
  const family = SCOPE_FAMILIES.find((name) => relative === `/${name}` || relative.startsWith(`/${name}/`));
  const scope = family !== undefined && Object.hasOwn(SCOPE_BY_METHOD, method) ? SCOPE_BY_METHOD[method] : undefined;
  if (scope === 'read' && TERMINAL_OUTPUT.test(relative)) return 'logs';
  return scope ?? UNMAPPED_SCOPE;
}
