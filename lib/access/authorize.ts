import { ApiError } from '../contract/errors.ts';
import { REQUIRED_PRINCIPALS, type Route } from '../contract/route.ts';
import type { Scope } from '../contract/scopes.ts';
import { type Principal, ROLE_SCOPES } from './principal.ts';

/**
 * Checks that a principal may use a route. Scope enforcement covers API tokens only; people are always limited by their
 * role.
 * @throws ApiError `forbidden` that names the scope, and the principals that the route is limited to.
 */
export function authorize(
  principal: Principal,
  route: Omit<Route['auth'], 'kind'>,
  options: { enforceScopes: boolean },
): void {
  if (route.only === 'admin-sessions') {
    if (principal.kind === 'session' && principal.role === 'admin') return;
    throw ApiError.of('forbidden', {
      required_principal: REQUIRED_PRINCIPALS[route.only],
      required_scope: route.scope,
    });
  }
  if (route.only === 'tokens' && principal.kind !== 'token')
    throw ApiError.of('forbidden', {
      required_principal: REQUIRED_PRINCIPALS[route.only],
      required_scope: route.scope,
    });
  if (!hasScope(principal, route.scope, options)) throw ApiError.of('forbidden', { required_scope: route.scope });
}

/** Whether a principal may use the routes of a scope. */
export function hasScope(principal: Principal, scope: Scope, options: { enforceScopes: boolean }): boolean {
  const granted = grantedScopes(principal, options.enforceScopes);
  return granted === 'all' || granted.some((one) => one === 'admin' || one === scope);
}

function grantedScopes(principal: Principal, enforceScopes: boolean) {
  switch (principal.kind) {
    case 'perimeter':
      return 'all';
    case 'token':
      return enforceScopes ? principal.scopes : 'all';
    case 'session':
    case 'telegram':
      return ROLE_SCOPES[principal.role];
  }
}
