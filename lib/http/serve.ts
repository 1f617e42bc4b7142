import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { authenticate, type Principal } from '../access/authenticate.ts';
import { authorize } from '../access/authorize.ts';
import { ApiError } from '../contract/errors.ts';
import type { Route, RouteInput } from '../contract/route.ts';
import { UNMAPPED_SCOPE } from '../contract/scopes.ts';
import { acceptsByName } from './accepts-by-name.ts';
import { type Answer, baseHeaders, type LambdaAnswer, refusal } from './answer.ts';
import { type Core, openCore } from './core.ts';
import { parseInput, rawBodyBytes } from './input.ts';

/** A call in progress. */
export interface Call {
  readonly principal: Principal;
  readonly requestId: string;
  readonly core: Core;
  /** Whether the caller asked for this media type by name. */
  readonly accepts: (mediaType: string) => boolean;
  /** Judges the caller anew, as at the beginning, for answers that last. @throws ApiError `unauthorized`, `forbidden` */
  readonly admit: () => Promise<Principal>;
}

/**
 * Makes a route and a function of (parsed input, call, services) into the handler that Lambda and the local gateway call.
 * @param open makes what the function needs, once per process.
 */
export function serve<R extends Route, S>(
  route: R,
  open: (core: Core) => S,
  run: (input: RouteInput<R>, call: Call, services: S) => Promise<Answer<NoInfer<R>>>,
) {
  let services: S | undefined;
  return wrap(route, async (event, call) => {
    const input = parseInput(route, event);
    services ??= open(call.core);
    return lambdaAnswer(route, await run(input, call, services), call.requestId);
  });
}

/** The handler of every path and method that no route maps. */
export function serveUnmapped() {
  return wrap({ id: 'unmapped', scope: UNMAPPED_SCOPE, mode: 'buffered' }, async () => {
    throw ApiError.of('not_found');
  });
}

/** Judges in the fixed order: size, principal, scope; then route, input, job and state are the route's own matter. */
function wrap(
  route: Pick<Route, 'scope' | 'mode'> & { id: string },
  answer: (event: APIGatewayProxyEvent, call: Call) => Promise<LambdaAnswer>,
) {
  const executionMode = route.mode === 'stream' ? executionModeStreamifyResponse : executionModeStandard;
  return middy<APIGatewayProxyEvent, LambdaAnswer>({ executionMode }).handler(
    async (event: APIGatewayProxyEvent, context: Context) => {
      const requestId = event.requestContext.requestId ?? context.awsRequestId;
      const core = openCore();
      try {
        if (rawBodyBytes(event) > core.env.PROMPTQ_MAX_BODY_BYTES) throw ApiError.of('body_too_large');
        const admit = async () => {
          const caller = await authenticate(event, core.tokens);
          authorize(caller, route.scope, { enforceScopes: core.env.PROMPTQ_API_SCOPE_ENFORCE });
          return caller;
        };
        const principal = await admit();
        const accepts = (mediaType: string) => acceptsByName(event, mediaType);
        const done = await answer(event, { principal, requestId, core, accepts, admit });
        core.log.info('answered', {
          route: route.id,
          status: done.statusCode,
          request_id: requestId,
          principal: principal.name,
        });
        return done;
      } catch (thrown) {
        const { unexpected, ...refused } = refusal(thrown, requestId);
        if (unexpected) core.log.error('failed', { route: route.id, request_id: requestId, error: thrown as Error });
        else core.log.info('refused', { route: route.id, status: refused.statusCode, request_id: requestId });
        return refused;
      }
    },
  );
}

/** @throws Error when a buffered answer is not what the route promises: a fault of ours. */
function lambdaAnswer<R extends Route>(route: R, answer: Answer<R>, requestId: string): LambdaAnswer {
  const headers = { ...baseHeaders(requestId), ...answer.headers };
  const statusCode = answer.status ?? Number(Object.keys(route.responses)[0]);
  if (answer.body instanceof Readable) return { statusCode, headers, body: answer.body };
  const schema = route.responses[statusCode]?.schema;
  return { statusCode, headers, body: schema === undefined ? '' : JSON.stringify(schema.parse(answer.body)) };
}
