import { hasScope } from '../../access/authorize.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { Call } from '../front-door.ts';
import type { Core } from '../runtime/core.ts';

/** Finds the caller on whose behalf the MCP server answers a call. */
export function mcpCaller({ env, serviceEndpoints }: Core) {
  return async ({ principal, apiToken, core, requestId }: Call) => {
    // Never the host of the request, to which the token would then go.
    const baseUrl = env.PROMPTQ_LINK_ORIGIN ?? (await serviceEndpoints.publicOrigin());
    const token = apiToken();
    if (baseUrl === undefined || token === undefined) throw ApiError.of('unavailable', { failed: ['public_origin'] });
    return {
      version: env.PROMPTQ_VERSION,
      baseUrl,
      token,
      may: (scope: Scope) => hasScope(principal, scope, { enforceScopes: env.PROMPTQ_API_SCOPE_ENFORCE }),
      onFailure: (of: string, error: Error) => core.log.error('a tool failed', { of, error, request_id: requestId }),
    };
  };
}
