import { ApiError } from '../contract/errors.ts';
import { REQUIRED_PRINCIPALS, type Route } from '../contract/route.ts';
import { type Principal, ROLE_SCOPES } from './principal.ts';

/**
 * Checks that a principal may use a route. Scope enforcement covers API tokens only; people are always limited by their
 * role.
 * @throws ApiError `forbidden` that names the missing scope, or that limits the route to signed-in administrators.
 */
export function authorize(
  principal: Principal,
  route: Pick<Route, 'scope' | 'only'>,
  options: { enforceScopes: boolean },
): void {
  if (route.only === 'admin-sessions') {
    if (principal.kind === 'session' && principal.role === 'admin') return;
    throw ApiError.of('forbidden', { required_principal: REQUIRED_PRINCIPALS[route.only] });
  }
  const granted = grantedScopes(principal, options.enforceScopes);
  if (granted === 'all' || granted.some((scope) => scope === 'admin' || scope === route.scope)) return;
  throw ApiError.of('forbidden', { required_scope: route.scope });
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
