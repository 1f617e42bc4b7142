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
import { ApiError } from '../contract/errors.ts';
import { isKeepWarm } from '../contract/keep-warm.ts';
import { LIMITS } from '../contract/limits.ts';
import type { Route } from '../contract/route.ts';
import { isJobId } from '../jobs/lifecycle/job-id.ts';
import { acceptsByName } from './accepts-by-name.ts';
import { errorResponse, type LambdaAnswer } from './answer.ts';
import { bypassedCloudFront } from './bypassed-cloudfront.ts';
import { beforeDeadline } from './deadline.ts';
import { rawBodyBytes } from './input.ts';
import { pathParametersOf } from './path-parameters.ts';
import { recordAudit } from './record-audit.ts';
import { type Core, createVerifiers, getCore } from './runtime/core.ts';

/*
 * Every request to the API passes the checks of `answerOf` from top to bottom, and the first that fails is its answer. The
 * order is part of the interface: what a stranger sends is measured but not parsed, and a caller without the scope does not
 * learn whether the input is valid or the job exists. Input, job and state are checked by the route's `answer`.
 *
 * The checks are those of doors whose `auth` is `principal`. Pages authorize visitors themselves (`pages/serve-page.ts`),
 * and a door with a signature checks it over the bytes of the body, instead of the caller, before they are parsed.
 *
 * One thing happens out of order: a route of one job reads it while the registry is asked for the caller, which saves a
 * round trip on the routes that clients poll. The read changes nothing, happens only for a credential of the right form,
 * and counts only once the caller is known.
 */

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
  /** Adds to the audit row what the path does not name, such as the id of what was created. */
  readonly noteTarget: (target: Readonly<Record<string, string>>) => void;
}

interface Entrance<E> {
  readonly route: Partial<Pick<Route, 'query' | 'headers'>> &
    Pick<Route, 'mode' | 'audited'> & {
      readonly id: string;
      /** Depends on the request where no route is mapped. */
      readonly auth: Route['auth'] | ((event: APIGatewayProxyEvent) => Route['auth']);
      /** The methods that a 404 names in `Allow`. */
      readonly allowed?: (event: APIGatewayProxyEvent) => readonly string[] | undefined;
    };
  /** Starts a read while the caller is authenticated. */
  readonly readEarly?: (event: APIGatewayProxyEvent, core: Core) => Promise<E>;
  /** @param early undefined if nothing was read early */
  readonly answer: (event: APIGatewayProxyEvent, call: Call, early: Promise<E> | undefined) => Promise<LambdaAnswer>;
}

/** Opened for each request; the fields that can change are filled in as the checks pass. */
interface Visit {
  readonly event: APIGatewayProxyEvent;
  readonly context: Context;
  readonly core: Core;
  readonly requestId: string;
  /** When a stream must have begun, by `performance.now()`. */
  readonly firstByteBy: number;
  principal?: Principal;
  target?: Readonly<Record<string, string>>;
  /** API Gateway's access log has the same request id, and cannot have the viewer's address. */
  readonly logged: { route: string; request_id: string; job_id: string | undefined; source_ip?: string | undefined };
}

/** The handler that Lambda and the local gateway call. */
export function frontDoor<E>(door: Entrance<E>) {
  const { route } = door;
  const executionMode = route.mode === 'stream' ? executionModeStreamifyResponse : executionModeStandard;
  return middy<APIGatewayProxyEvent, LambdaAnswer>({ executionMode }).handler(
    async (event: APIGatewayProxyEvent, context: Context) => {
      if (isKeepWarm(event)) return { statusCode: 204, headers: {}, body: '' };
      const visit = openVisit(door, event, context);
      try {
        const done = await answerOf(door, visit);
        await audit(door, visit, done.statusCode);
        visit.core.log.info('answered', { ...visit.logged, status: done.statusCode, principal: visit.principal?.name });
        return done;
      } catch (thrown) {
        return await refusalOf(door, visit, thrown);
      }
    },
  );
}

async function answerOf<E>(door: Entrance<E>, visit: Visit): Promise<LambdaAnswer> {
  checkPerimeter(visit);
  checkSize(visit);
  const early = readEarly(door, visit);
  // Also awaits the read if the caller is refused: Lambda freezes a function that has answered.
  const [caller] = await inTime(visit, Promise.allSettled([checkCaller(door, visit), early]));
  if (caller.status === 'rejected') throw caller.reason;
  visit.principal = caller.value;
  checkRate(visit.core, caller.value);
  return await inTime(visit, begun(door.answer(visit.event, callOf(door, visit, caller.value), early)));
}

/** @throws ApiError `forbidden` for a request that did not come through the deployment's own distribution */
function checkPerimeter({ event, core, logged }: Visit): void {
  const bypassed = bypassedCloudFront(event, core);
  logged.source_ip = callerAddress(event, { behindCloudFront: core.behindCloudFront && !bypassed });
  if (bypassed) throw ApiError.of('forbidden');
}

/** @throws ApiError `body_too_large` */
function checkSize({ event, core }: Visit): void {
  if (rawBodyBytes(event) > core.env.PROMPTQ_MAX_BODY_BYTES) throw ApiError.of('body_too_large');
}

/** @throws ApiError `unauthorized` without a valid credential; `forbidden` without the scope, or from a foreign origin */
async function checkCaller<E>(door: Entrance<E>, { event, core }: Visit): Promise<Principal> {
  const caller = await authenticate(event, { verifiers: createVerifiers(core), sessionCookie: sessionCookie(core) });
  authorize(caller, authOf(door, event), { enforceScopes: core.env.PROMPTQ_API_SCOPE_ENFORCE });
  const request = { method: event.httpMethod, headers: lowerCaseHeaders(event) };
  await rejectForeignOrigin(caller, request, () => core.serviceEndpoints.publicOrigin());
  return caller;
}

/** @throws ApiError `too_many_requests` for a token that goes too fast */
function checkRate({ tokenRate }: Core, principal: Principal): void {
  const wait = principal.kind === 'token' ? tokenRate.take(principal.id) : 0;
  if (wait > 0) throw ApiError.of('too_many_requests', undefined, wait);
}

/** undefined if the route reads nothing early, or the caller presents nothing that can be a token or session */
function readEarly<E>(door: Entrance<E>, { event, core }: Visit): Promise<E> | undefined {
  if (door.readEarly === undefined || !presentsCredential(event, core)) return undefined;
  const read = door.readEarly(event, core);
  // A refused request never awaits it.
  read.catch(() => undefined);
  return read;
}

function presentsCredential(event: APIGatewayProxyEvent, core: Core): boolean {
  try {
    return needsRegistry(event, { sessionCookie: sessionCookie(core) });
  } catch {
    return false;
  }
}

/** Awaits the first piece of a streamed answer: a failure until then has a status, a later one cuts the response. */
async function begun(answer: Promise<LambdaAnswer>): Promise<LambdaAnswer> {
  const done = await answer;
  if (done.body instanceof Readable) await once(done.body, 'readable');
  return done;
}

async function refusalOf<E>(door: Entrance<E>, visit: Visit, thrown: unknown): Promise<LambdaAnswer> {
  const { event, core, logged, requestId, principal } = visit;
  const { query, headers: read, allowed } = door.route;
  const settings = { requestId, tls: core.behindCloudFront };
  const { unexpected, ...rejected } = errorResponse(thrown, settings, { query, headers: read });
  await audit(door, visit, rejected.statusCode);
  if (unexpected) core.log.error('failed', { ...logged, error: thrown as Error });
  else core.log.info('refused', { ...logged, status: rejected.statusCode, principal: principal?.name });
  const methods = rejected.statusCode === 404 ? allowed?.(event) : undefined;
  return { ...rejected, headers: { ...rejected.headers, ...(methods && { allow: methods.join(', ') }) } };
}

/** Records the call of an audited route, also if it was refused, once its caller is known. */
async function audit<E>({ route }: Entrance<E>, visit: Visit, status: number): Promise<void> {
  const { event, core, requestId, principal, target } = visit;
  if (!route.audited || principal === undefined) return;
  await recordAudit(core, event, { principal, action: route.id, status, requestId, target });
}

function openVisit<E>({ route }: Entrance<E>, event: APIGatewayProxyEvent, context: Context): Visit {
  const core = getCore();
  const requestId = event.requestContext.requestId ?? context.awsRequestId;
  const { id } = pathParametersOf(event);
  return {
    event,
    context,
    core,
    requestId,
    // A stream may last for minutes, but nobody waits that long for its first byte.
    firstByteBy:
      route.mode === 'stream' ? performance.now() + LIMITS.stream.firstByteSeconds * 1000 : Number.POSITIVE_INFINITY,
    // A text without the form of a job's id can be anything, even a token.
    logged: { route: route.id, request_id: requestId, job_id: id !== undefined && isJobId(id) ? id : undefined },
  };
}

function callOf<E>(door: Entrance<E>, visit: Visit, principal: Principal): Call {
  const { event, core, requestId, logged } = visit;
  return {
    principal,
    showsOutput: hasScope(principal, 'logs', { enforceScopes: core.env.PROMPTQ_API_SCOPE_ENFORCE }),
    requestId,
    core,
    accepts: (mediaType) => acceptsByName(event, mediaType),
    apiToken: () => apiTokenOf(lowerCaseHeaders(event)),
    reauthorize: () => checkCaller(door, visit),
    noteJob: (jobId) => {
      logged.job_id = jobId;
    },
    noteTarget: (target) => {
      visit.target = target;
    },
  };
}

/** @throws ApiError `timed_out`, or any error of the work */
async function inTime<T>({ context, firstByteBy }: Visit, work: Promise<T>): Promise<T> {
  return await beforeDeadline(work, Math.min(context.getRemainingTimeInMillis(), firstByteBy - performance.now()));
}

function authOf<E>({ route: { auth } }: Entrance<E>, event: APIGatewayProxyEvent): Route['auth'] {
  return typeof auth === 'function' ? auth(event) : auth;
}

function sessionCookie({ env }: Core): string {
  return cookieNames(env.PROMPTQ_PUBLIC_ORIGIN).session;
}
