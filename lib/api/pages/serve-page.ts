import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { type Headers, lowerCaseHeaders } from '../../access/authenticate.ts';
import { callerAddress } from '../../access/caller-address.ts';
import type { Principal } from '../../access/principal.ts';
import { type CookieNames, cookieNames, readCookie, readSignInCookies } from '../../access/sessions/session-cookie.ts';
import { IdentityProviderError } from '../../access/sign-in/identity-provider-error.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Door } from '../../contract/route.ts';
import { type AnswerSettings, baseHeaders, errorResponse, type LambdaAnswer } from '../answer.ts';
import { bypassedCloudFront } from '../bypassed-cloudfront.ts';
import { rawBodyBytes } from '../input.ts';
import { recordAudit } from '../record-audit.ts';
import { type Core, getCore } from '../runtime/core.ts';
import { PAGE_HEADERS, type PageText, renderPage } from './page.ts';

/** A browser's request. */
export interface Visit {
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The browser's address, if known. */
  readonly address: string | undefined;
  readonly cookies: CookieNames;
  /** Values of the browser's cookies; those of pending sign-ins by slot. */
  readonly brought: { readonly session: string | undefined; readonly signIns: ReadonlyMap<string, string> };
  /** The service's public origin. */
  readonly origin: string;
}

/** The response to a browser: a page or a redirect. */
export type PageAnswer = {
  /** Set-Cookie headers. */
  readonly cookies?: readonly string[];
  /** The principal, if the action is audited. */
  readonly principal?: Principal;
} & ({ readonly location: string } | { readonly status: number; readonly page: PageText });

const SIGN_IN_AGAIN = { text: 'Sign in again', path: '/auth/sign-in' };

/** Turns a page and a function of (visit, services) into the handler that Lambda and the local gateway call. */
export function handlePage<S>(
  page: Door,
  open: (core: Core) => S,
  run: (visit: Visit, services: S) => Promise<PageAnswer>,
) {
  let services: S | undefined;
  return middy<APIGatewayProxyEvent, LambdaAnswer>().handler(async (event: APIGatewayProxyEvent, context: Context) => {
    const requestId = event.requestContext.requestId ?? context.awsRequestId;
    const core = getCore();
    const settings: AnswerSettings = { requestId, tls: core.behindCloudFront };
    const answered = { route: page.id, request_id: requestId };
    try {
      if (bypassedCloudFront(event, core)) return rejectedBypass(settings);
      if (rawBodyBytes(event) > core.env.PROMPTQ_MAX_BODY_BYTES) throw ApiError.of('body_too_large');
      const visit = await visitOf(event, core);
      if (visit === undefined) return lambdaAnswer(NOT_SET_UP, settings);
      services ??= open(core);
      const answer = await run(visit, services);
      const done = lambdaAnswer(answer, settings);
      if (answer.principal !== undefined) {
        const call = { principal: answer.principal, action: page.id, status: done.statusCode, requestId };
        await recordAudit(core, event, call);
      }
      core.log.info('answered', { ...answered, status: done.statusCode, principal: answer.principal?.name });
      return done;
    } catch (thrown) {
      const { unexpected, statusCode, headers } = errorResponse(thrown, settings);
      const provider = thrown instanceof IdentityProviderError;
      if (unexpected) core.log.error('failed', { ...answered, error: thrown as Error });
      else core.log.info('refused', { ...answered, status: statusCode });
      const failure = { status: provider ? 502 : statusCode, page: provider ? UNREACHABLE : failed(statusCode) };
      const shown = lambdaAnswer(failure, settings);
      return { ...shown, headers: { ...headers, ...shown.headers } };
    }
  });
}

/** In the API's error format: this address is not meant for browsers. */
function rejectedBypass(settings: AnswerSettings): LambdaAnswer {
  const { unexpected: _, ...rejected } = errorResponse(ApiError.of('forbidden'), settings);
  return rejected;
}

/** undefined where no browser can be served, because the public origin is not known. */
async function visitOf(
  event: APIGatewayProxyEvent,
  { serviceEndpoints, behindCloudFront }: Core,
): Promise<Visit | undefined> {
  const origin = await serviceEndpoints.publicOrigin();
  if (origin === undefined) return undefined;
  const headers = lowerCaseHeaders(event);
  const cookies = cookieNames(origin);
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {}))
    for (const value of values ?? []) query.append(name, value);
  const brought = {
    session: readCookie(headers.cookie, cookies.session),
    signIns: readSignInCookies(headers.cookie, cookies.signIn),
  };
  const address = callerAddress(event, { behindCloudFront });
  return { query, headers, address, cookies, brought, origin };
}

function lambdaAnswer(answer: PageAnswer, settings: AnswerSettings): LambdaAnswer {
  const headers = { ...baseHeaders(settings), ...PAGE_HEADERS };
  const setCookies = answer.cookies && { multiValueHeaders: { 'set-cookie': answer.cookies } };
  if ('location' in answer)
    return { statusCode: 303, headers: { ...headers, location: answer.location }, ...setCookies, body: '' };
  const shownId = answer.status >= 400 ? settings.requestId : undefined;
  return { statusCode: answer.status, headers, ...setCookies, body: renderPage(answer.page, shownId) };
}

/** Sign-in is not configured. */
export const NOT_SET_UP: PageAnswer = {
  status: 503,
  page: {
    title: 'Sign-in is not set up',
    paragraphs: [
      'This deployment knows no identity provider to sign in at. In the cloud its console stack brings one: perhaps it is being deployed just now. Elsewhere its operator has to set PROMPTQ_PUBLIC_ORIGIN, PROMPTQ_OIDC_ISSUER and PROMPTQ_OIDC_CLIENT_ID.',
      'The API works with tokens all the same.',
    ],
  },
};

const UNREACHABLE: PageText = {
  title: 'The identity provider does not answer as it should',
  paragraphs: ['Nothing is wrong with you or your browser. Try again in a minute; the log says more to an operator.'],
  link: SIGN_IN_AGAIN,
};

function failed(status: number): PageText {
  return {
    title: status === 503 ? 'Too much at once' : 'That did not work',
    paragraphs: ['Try again in a moment. If it happens again, an operator finds more in the log under this request.'],
    link: SIGN_IN_AGAIN,
  };
}
