import { ApiError } from '../contract/errors.ts';
import type { Scope } from '../contract/scopes.ts';
import type { Principal } from './authenticate.ts';

/**
 * Judges whether a principal may use what asks for a scope.
 * @throws ApiError `forbidden` that names the scope.
 */
export function authorize(principal: Principal, required: Scope, options: { enforceScopes: boolean }): void {
  if (!options.enforceScopes) return;
  if (principal.scopes.includes('admin') || principal.scopes.includes(required)) return;
  throw ApiError.of('forbidden', { required_scope: required });
}
