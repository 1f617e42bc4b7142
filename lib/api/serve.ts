import { once } from 'node:events';
import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { apiTokenOf, authenticate, lowerCaseHeaders, needsRegistry } from '../access/authenticate.ts';
import { authorize, hasScope } from '../access/authorize.ts';
import { callerAddress } from '../access/caller-address.ts';
import { rejectForeignOrigin } from '../access/own-origin.ts';
import type { Principal } from '../access/principal.ts';
import { cookieNames } from '../access/sessions/session-cookie.ts';
import { ALLOWED_METHODS } from '../contract/allowed-methods.ts';
import { ApiError } from '../contract/errors.ts';
import { EVENT_STREAM, EVENT_STREAM_HEADERS } from '../contract/event-stream.ts';
import { isKeepWarm } from '../contract/keep-warm.ts';
import { LIMITS } from '../contract/limits.ts';
import { withoutOutput } from '../contract/output-fields.ts';
import { BASE_PATH, type Route, type RouteInput } from '../contract/route.ts';
import { unmappedScope } from '../contract/scope-families.ts';
import type { Scope } from '../contract/scopes.ts';
import { isJobId } from '../jobs/lifecycle/job-id.ts';
import { isLambda } from '../platform/config/read-env.ts';
import { acceptsByName } from './accepts-by-name.ts';
import { type Answer, type AnswerSettings, baseHeaders, errorResponse, type LambdaAnswer } from './answer.ts';
import { bypassedCloudFront } from './bypassed-cloudfront.ts';
import { beforeDeadline } from './deadline.ts';
import { parseInput, rawBodyBytes } from './input.ts';
import { pathParametersOf } from './path-parameters.ts';
import { recordAudit } from './record-audit.ts';
import { type Core, getCore } from './runtime/core.ts';
import { createVerifiers } from './runtime/create-verifiers.ts';

/** A call in progress. */
export interface Call {
  readonly principal: Principal;
  /** Whether the caller may see output of commands and agents. */
  readonly showsOutput: boolean;
  readonly requestId: string;
  readonly core: Core;
  /** Whether the caller asked for this media type by name. */
  readonly accepts: (mediaType: string) => boolean;
  /** Authorizes the caller again, as at the start, for long answers. @throws ApiError `unauthorized`, `forbidden` */
  readonly reauthorize: () => Promise<Principal>;
  /** The caller's API token; undefined for other principals. */
  readonly apiToken: () => string | undefined;
  /** Adds the job of this call to its log line; a job that the path names is logged anyway. */
  readonly noteJob: (jobId: string) => void;
}

/**
 * Makes a route and a function of (parsed input, call, services) into the handler that Lambda and the local gateway call.
 * @param open makes what the function needs, once per process.
 */
export function handle<R extends Route, S>(
  route: R,
  open: (core: Core) => S,
  run: (input: RouteInput<R>, call: Call, services: S) => Promise<Answer<NoInfer<R>>>,
) {
  return serve(route, open, undefined, run);
}

/**
 * As `handle`, for a function that reads something in nearly every call: it does so while the caller's token or session
 * is read.
 * @param read must change nothing: the caller may turn out to be a stranger. Its result is the last parameter of `run`.
 */
export function handleWithRead<R extends Route, S, B>(
  route: R,
  open: (core: Core) => S,
  read: (input: RouteInput<R>, services: S) => Promise<B>,
  run: (input: RouteInput<R>, call: Call, services: S, begun: Promise<B>) => Promise<Answer<NoInfer<R>>>,
) {
  return serve(route, open, read, run);
}

function serve<R extends Route, S, B>(
  route: R,
  open: (core: Core) => S,
  read: ((input: RouteInput<R>, services: S) => Promise<B>) | undefined,
  run: (input: RouteInput<R>, call: Call, services: S, begun: Promise<B>) => Promise<Answer<NoInfer<R>>>,
) {
  // Lambda gives a function that initialises a whole vCPU, whatever its memory.
  let services = isLambda() ? open(getCore()) : undefined;
  const start = (event: APIGatewayProxyEvent, core: Core): Started => {
    const input = parseInput(route, event);
    services ??= open(core);
    const opened = services;
    const begun = Promise.resolve(read?.(input, opened) as Promise<B>);
    // No one awaits it if the request is refused.
    begun.catch(() => undefined);
    const answer = async (call: Call) =>
      lambdaAnswer(route, await run(input, call, opened, begun), { ...answerSettings(call.requestId, core), ...call });
    return { begun, answer };
  };
  return wrap(route, start, { early: read !== undefined });
}

const MCP = `${BASE_PATH}/mcp`;

/**
 * The handler of every path and method that no route maps: 404, which names in `Allow` the methods of a path that has
 * some. The Model Context Protocol requires 405 at its path.
 */
export function handleUnmapped() {
  const scope = ({ httpMethod, path }: APIGatewayProxyEvent) => unmappedScope(httpMethod, path);
  const allowed = ({ resource }: APIGatewayProxyEvent) => ALLOWED_METHODS[resource];
  const start = (event: APIGatewayProxyEvent) => {
    if (event.resource === MCP) throw ApiError.of('method_not_allowed', { allowed: allowed(event) });
    throw ApiError.of('not_found');
  };
  return wrap({ id: 'unmapped', scope, mode: 'buffered', allowed }, start, { early: false });
}

/** What a function's log has of every request. API Gateway's access log has the same id, and cannot have the viewer's address. */
interface RequestLog {
  readonly route: string;
  readonly request_id: string;
  job_id: string | undefined;
  /** As the audit log has it. */
  source_ip?: string | undefined;
}

/** A request whose input is valid: what it reads while the caller is authenticated, and how it is answered then. */
interface Started {
  readonly begun: Promise<unknown>;
  readonly answer: (call: Call) => Promise<LambdaAnswer>;
}

/** Larger bodies are not parsed for strangers: a token or cookie of the right form is no proof. */
const PARSED_EARLY_BYTES = 8_192;

/** A stream may last for minutes, but not until it begins: nobody would wait for it. */
const FIRST_BYTE_MS = LIMITS.stream.firstByteSeconds * 1000;

/** Judges in the fixed order: size, principal, scope; then route, input, job and state are the route's own matter. */
function wrap(
  route: Partial<Pick<Route, 'query' | 'headers'>> &
    Pick<Route, 'only' | 'mode' | 'audited'> & {
      readonly id: string;
      readonly scope: Scope | ((event: APIGatewayProxyEvent) => Scope);
      /** The methods that a 404 names in `Allow`. */
      readonly allowed?: (event: APIGatewayProxyEvent) => readonly string[] | undefined;
    },
  start: (event: APIGatewayProxyEvent, core: Core) => Started,
  options: { readonly early: boolean },
) {
  const executionMode = route.mode === 'stream' ? executionModeStreamifyResponse : executionModeStandard;
  return middy<APIGatewayProxyEvent, LambdaAnswer>({ executionMode }).handler(
    async (event: APIGatewayProxyEvent, context: Context) => {
      if (isKeepWarm(event)) return { statusCode: 204, headers: {}, body: '' };
      const firstByteBy = route.mode === 'stream' ? performance.now() + FIRST_BYTE_MS : Number.POSITIVE_INFINITY;
      const requestId = event.requestContext.requestId ?? context.awsRequestId;
      const core = getCore();
      const scope = typeof route.scope === 'function' ? route.scope(event) : route.scope;
      const logged: RequestLog = { route: route.id, request_id: requestId, job_id: jobOfPath(event) };
      const noteJob = (jobId: string) => {
        logged.job_id = jobId;
      };
      let principal: Principal | undefined;
      const audited = async (status: number) => {
        if (!route.audited || principal === undefined) return;
        await recordAudit(core, event, { principal, action: route.id, status, requestId });
      };
      const sessionCookie = cookieNames(core.env.PROMPTQ_PUBLIC_ORIGIN).session;
      try {
        const bypassed = bypassedCloudFront(event, core);
        logged.source_ip = callerAddress(event, { behindCloudFront: core.behindCloudFront && !bypassed });
        if (bypassed) throw ApiError.of('forbidden');
        if (rawBodyBytes(event) > core.env.PROMPTQ_MAX_BODY_BYTES) throw ApiError.of('body_too_large');
        const reauthorize = async () => {
          const caller = await authenticate(event, { verifiers: createVerifiers(core), sessionCookie });
          authorize(caller, { ...route, scope }, { enforceScopes: core.env.PROMPTQ_API_SCOPE_ENFORCE });
          const request = { method: event.httpMethod, headers: lowerCaseHeaders(event) };
          await rejectForeignOrigin(caller, request, () => core.serviceEndpoints.publicOrigin());
          return caller;
        };
        const inTime = async <T>(work: Promise<T>) =>
          await beforeDeadline(work, Math.min(context.getRemainingTimeInMillis(), firstByteBy - performance.now()));
        const authorized = reauthorize();
        const started = options.early ? startedEarly(() => start(event, core), event, sessionCookie) : undefined;
        // Neither is left open: Lambda freezes a function that has answered.
        await inTime(Promise.allSettled([authorized, started?.begun]));
        principal = await authorized;
        enforceRate(core, principal);
        const accepts = (mediaType: string) => acceptsByName(event, mediaType);
        const apiToken = () => apiTokenOf(lowerCaseHeaders(event));
        const showsOutput = hasScope(principal, 'logs', { enforceScopes: core.env.PROMPTQ_API_SCOPE_ENFORCE });
        const call = { principal, showsOutput, requestId, core, accepts, apiToken, reauthorize, noteJob };
        const { answer } = started ?? start(event, core);
        const done = await inTime(begun(answer(call)));
        await audited(done.statusCode);
        core.log.info('answered', { ...logged, status: done.statusCode, principal: principal.name });
        return done;
      } catch (thrown) {
        const { unexpected, ...rejected } = errorResponse(thrown, answerSettings(requestId, core), {
          query: route.query,
          headers: route.headers,
        });
        await audited(rejected.statusCode);
        if (unexpected) core.log.error('failed', { ...logged, error: thrown as Error });
        else core.log.info('refused', { ...logged, status: rejected.statusCode, principal: principal?.name });
        const allowed = rejected.statusCode === 404 ? route.allowed?.(event) : undefined;
        return { ...rejected, headers: { ...rejected.headers, ...(allowed && { allow: allowed.join(', ') }) } };
      }
    },
  );
}

/**
 * What may begin before the caller is known; undefined if the caller presents no possible credential, or the request has
 * a fault, which is judged after the caller.
 */
function startedEarly(start: () => Started, event: APIGatewayProxyEvent, sessionCookie: string): Started | undefined {
  try {
    if (rawBodyBytes(event) > PARSED_EARLY_BYTES || !needsRegistry(event, { sessionCookie })) return undefined;
    return start();
  } catch {
    return undefined;
  }
}

/** Awaits the first piece of a streamed answer: a failure until then has a status, a later one cuts the response. */
async function begun(answer: Promise<LambdaAnswer>): Promise<LambdaAnswer> {
  const done = await answer;
  if (done.body instanceof Readable) await once(done.body, 'readable');
  return done;
}

/** The job that a path names; what has not the form of a job's id may be anything, a token too. */
function jobOfPath(event: APIGatewayProxyEvent): string | undefined {
  const { id } = pathParametersOf(event);
  return id !== undefined && isJobId(id) ? id : undefined;
}

/** @throws ApiError `too_many_requests` for a token that goes too fast. */
function enforceRate({ tokenRate }: Core, principal: Principal): void {
  const wait = principal.kind === 'token' ? tokenRate.take(principal.id) : 0;
  if (wait > 0) throw ApiError.of('too_many_requests', undefined, wait);
}

function answerSettings(requestId: string, { behindCloudFront }: Core): AnswerSettings {
  return { requestId, tls: behindCloudFront };
}

/** @throws Error when a buffered answer is not what the route promises: a fault of ours. */
function lambdaAnswer<R extends Route>(
  route: R,
  answer: Answer<R>,
  settings: AnswerSettings & Pick<Call, 'showsOutput'>,
): LambdaAnswer {
  const isEventStream = answer.headers?.['content-type'] === EVENT_STREAM;
  const headers: Record<string, string> = {
    ...baseHeaders(settings),
    ...(isEventStream && EVENT_STREAM_HEADERS),
    ...answer.headers,
  };
  const statusCode = answer.status ?? Number(Object.keys(route.responses)[0]);
  if (answer.body instanceof Readable) return { statusCode, headers, body: answer.body };
  const { schema, otherMedia } = route.responses[statusCode] ?? {};
  const textSchema = answer.text === undefined ? undefined : otherMedia?.[headers['content-type'] ?? ''];
  if (textSchema !== undefined) return { statusCode, headers, body: textSchema.parse(answer.text) };
  const parsed = schema?.parse(answer.body);
  const shown = schema === undefined || settings.showsOutput ? parsed : withoutOutput(schema, parsed);
  const body = schema === undefined ? '' : JSON.stringify(shown);
  // A prompt of maximum size, escaped twice, can exceed Lambda's buffered limit.
  return { statusCode, headers, body: route.mode === 'stream' ? Readable.from([Buffer.from(body)]) : body };
}
