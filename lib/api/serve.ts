import { Readable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ALLOWED_METHODS } from '../contract/allowed-methods.ts';
import { ApiError } from '../contract/errors.ts';
import { EVENT_STREAM, EVENT_STREAM_HEADERS } from '../contract/event-stream.ts';
import { withoutOutput } from '../contract/output-fields.ts';
import { BASE_PATH, type Route, type RouteInput } from '../contract/route.ts';
import { unmappedScope } from '../contract/scope-families.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { findJob } from '../jobs/store/find-job.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { isLambda } from '../platform/config/read-env.ts';
import { type Answer, baseHeaders, type LambdaAnswer } from './answer.ts';
import { type Call, frontDoor } from './front-door.ts';
import { parseInput } from './input.ts';
import { pathParametersOf } from './path-parameters.ts';
import { type Core, getCore } from './runtime/core.ts';

/**
 * Makes a route and a function of (parsed input, call, services) into the handler that Lambda and the local gateway call.
 * @param open makes what the function needs, once per process.
 */
export function handle<R extends Route, S>(
  route: R,
  open: (core: Core) => S,
  run: (input: RouteInput<R>, call: Call, services: S) => Promise<Answer<NoInfer<R>>>,
) {
  const servicesOf = once(open);
  return frontDoor<never>({
    route,
    answer: async (event, call) => {
      const input = parseInput(route, event);
      return lambdaAnswer(route, await run(input, call, servicesOf(call.core)), call);
    },
  });
}

/**
 * As `handle`, for a route whose path has the `{id}` of a job: the job is read while the caller is authenticated. The last
 * parameter of `run` is the job, or rejects with the ApiError `job_not_found`.
 */
export function handleJob<R extends Route, S extends { readonly jobs: JobStore }>(
  route: R,
  open: (core: Core) => S,
  run: (input: RouteInput<R>, call: Call, services: S, found: Promise<Job>) => Promise<Answer<NoInfer<R>>>,
) {
  const servicesOf = once(open);
  const read = async (event: APIGatewayProxyEvent, core: Core) =>
    await findJob(servicesOf(core).jobs, pathParametersOf(event).id ?? '');
  return frontDoor<Job>({
    route,
    readEarly: read,
    answer: async (event, call, early) => {
      const input = parseInput(route, event);
      const found = early ?? read(event, call.core);
      // Some answers don't need it.
      found.catch(() => undefined);
      return lambdaAnswer(route, await run(input, call, servicesOf(call.core), found), call);
    },
  });
}

const MCP = `${BASE_PATH}/mcp`;

/**
 * The handler of every path and method that no route maps: 404, which names in `Allow` the methods of a path that has
 * some. The Model Context Protocol requires 405 at its path.
 */
export function handleUnmapped() {
  const auth = ({ httpMethod, path }: APIGatewayProxyEvent) =>
    ({ kind: 'principal', scope: unmappedScope(httpMethod, path) }) as const;
  const allowed = ({ resource }: APIGatewayProxyEvent) => ALLOWED_METHODS[resource];
  return frontDoor<never>({
    route: { id: 'unmapped', auth, mode: 'buffered', allowed },
    answer: async (event) => {
      if (event.resource === MCP) throw ApiError.of('method_not_allowed', { allowed: allowed(event) });
      throw ApiError.of('not_found');
    },
  });
}

/** Opens services at the first call; in Lambda now, because a function that initialises has a whole vCPU. */
function once<S>(open: (core: Core) => S): (core: Core) => S {
  let services = isLambda() ? open(getCore()) : undefined;
  return (core) => {
    services ??= open(core);
    return services;
  };
}

/** @throws Error when a buffered answer is not what the route promises: a fault of ours. */
function lambdaAnswer<R extends Route>(
  route: R,
  answer: Answer<R>,
  { requestId, core, showsOutput }: Pick<Call, 'requestId' | 'core' | 'showsOutput'>,
): LambdaAnswer {
  const isEventStream = answer.headers?.['content-type'] === EVENT_STREAM;
  const headers: Record<string, string> = {
    ...baseHeaders({ requestId, tls: core.behindCloudFront }),
    ...(isEventStream && EVENT_STREAM_HEADERS),
    ...answer.headers,
  };
  const statusCode = answer.status ?? Number(Object.keys(route.responses)[0]);
  if (answer.body instanceof Readable) return { statusCode, headers, body: answer.body };
  const { schema } = route.responses[statusCode] ?? {};
  const parsed = schema?.parse(answer.body);
  const shown = schema === undefined || showsOutput ? parsed : withoutOutput(schema, parsed);
  const body = schema === undefined ? '' : JSON.stringify(shown);
  // A prompt of maximum size, escaped twice, can exceed Lambda's buffered limit.
  return { statusCode, headers, body: route.mode === 'stream' ? Readable.from([Buffer.from(body)]) : body };
}
