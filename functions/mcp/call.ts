import { hasScope } from '../../lib/access/authorize.ts';
import { handle } from '../../lib/api/serve.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { callMcp as route } from '../../lib/contract/routes/mcp.ts';
import { answerMcp } from '../../lib/mcp/answer-request.ts';

/** `POST /mcp` */
export const handler = handle(
  route,
  ({ env, serviceEndpoints }) => ({
    // Never the host of the request, to which the token would then go.
    baseUrl: async () => env.PROMPTQ_LINK_ORIGIN ?? (await serviceEndpoints.publicOrigin()),
    enforceScopes: env.PROMPTQ_API_SCOPE_ENFORCE,
    version: env.PROMPTQ_VERSION,
  }),
  async ({ body, headers }, { principal, apiToken, core, requestId }, { baseUrl, enforceScopes, version }) => {
    const [origin, token] = [await baseUrl(), apiToken()];
    if (origin === undefined || token === undefined) throw ApiError.of('unavailable', { failed: ['public_origin'] });
    return await answerMcp(
      { body, headers },
      {
        version,
        baseUrl: origin,
        token,
        may: (scope) => hasScope(principal, scope, { enforceScopes }),
        onFailure: (of, error) => core.log.error('a tool failed', { of, error, request_id: requestId }),
      },
    );
  },
);
