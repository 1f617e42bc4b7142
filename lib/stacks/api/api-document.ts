import { Aws, Duration } from 'aws-cdk-lib';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { ERRORS } from '../../contract/errors.ts';
import { type Method, pathParameters, type Route } from '../../contract/route.ts';
import { SECURITY_HEADERS, TLS_ONLY_HEADERS } from '../../contract/security-headers.ts';

/** API Gateway's time limit for a function's response, which is also the function's timeout. */
export const INTEGRATION_TIMEOUTS: Readonly<Record<Route['mode'], Duration>> = {
  // API Gateway's limit for buffered responses.
  buffered: Duration.seconds(29),
  // API Gateway's limit for streamed responses.
  stream: Duration.minutes(15),
};

/** A path's method, and its function. */
export interface Endpoint {
  readonly method: Method;
  /** The full path, such as `/api/v1/jobs/{id}`. */
  readonly path: string;
  readonly mode: Route['mode'];
  readonly functionArn: string;
}

/** The security scheme that makes API Gateway require the header `x-api-key`. */
const API_KEY = 'api_key';

/** Matches all paths without an endpoint. */
const ALL_OTHER_PATHS = '/{proxy+}';

/**
 * The REST API as API Gateway imports it: OpenAPI 3.0 with AWS's extensions. It holds what API Gateway needs and
 * nothing for readers; clients get openapi.json. Every path has an ANY method for the fallback function, so that API
 * Gateway itself never answers a method that a known path does not have.
 *
 * One document, because a method as a resource costs the stack seven of CloudFormation's 500 resources. It is inline,
 * because function ARNs are only known at deployment. An import overwrites the API: gateway responses as resources of
 * their own would be reset (aws/serverless-application-model#390).
 */
export function apiDocument(title: string, endpoints: readonly Endpoint[], fallbackArn: string): object {
  const fallback = { functionArn: fallbackArn, mode: 'buffered' } as const;
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  const paths = new Set([...endpoints.flatMap(({ path }) => pathsTo(path)), ALL_OTHER_PATHS]);
  return {
    openapi: '3.0.1',
    info: { title, version: '1' },
    paths: Object.fromEntries(
      [...paths].map((path) => [
        path,
        {
          ...Object.fromEntries(
            (byPath.get(path) ?? []).map((endpoint) => [endpoint.method.toLowerCase(), operation(path, endpoint)]),
          ),
          'x-amazon-apigateway-any-method': operation(path, fallback),
        },
      ]),
    ),
    components: { securitySchemes: { [API_KEY]: { type: 'apiKey', name: 'x-api-key', in: 'header' } } },
    'x-amazon-apigateway-gateway-responses': gatewayResponses(),
  };
}

/** `/a/{b}` → `/`, `/a`, `/a/{b}`. */
function pathsTo(path: string): string[] {
  const parts = path.split('/').slice(1);
  return ['/', ...parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}`)];
}

function operation(path: string, { functionArn, mode }: Pick<Endpoint, 'functionArn' | 'mode'>): object {
  const names = path === ALL_OTHER_PATHS ? ['proxy'] : pathParameters(path);
  return {
    ...(names.length > 0 && {
      parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    }),
    responses: {},
    security: [{ [API_KEY]: [] }],
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      passthroughBehavior: 'when_no_match',
      uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/${invocationPath(functionArn, mode)}`,
      timeoutInMillis: INTEGRATION_TIMEOUTS[mode].toMilliseconds(),
      ...(mode === 'stream' && { responseTransferMode: 'STREAM' }),
    },
  };
}

/** Streaming uses another Lambda operation, with a later API version. */
function invocationPath(functionArn: string, mode: Route['mode']): string {
  return mode === 'stream'
    ? `2021-11-15/functions/${functionArn}/response-streaming-invocations`
    : `2015-03-31/functions/${functionArn}/invocations`;
}

interface OwnAnswer {
  readonly type: ResponseType;
  /** Default: API Gateway's own status, which differs within a family of responses. */
  readonly status?: number;
  readonly error: string;
}

/** Responses that API Gateway sends before or instead of a function's. */
const OWN_ANSWERS: readonly OwnAnswer[] = [
  { type: ResponseType.REQUEST_TOO_LARGE, ...said('body_too_large') },
  { type: ResponseType.THROTTLED, ...said('too_many_requests') },
  { type: ResponseType.QUOTA_EXCEEDED, ...said('too_many_requests') },
  // API Gateway's name for an unknown path, whatever the caller sent.
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, ...said('not_found') },
  // The call bypassed the distribution, so it lacks the key.
  { type: ResponseType.INVALID_API_KEY, ...said('forbidden') },
  { type: ResponseType.RESOURCE_NOT_FOUND, ...said('not_found') },
  { type: ResponseType.INTEGRATION_TIMEOUT, ...said('timed_out') },
  { type: ResponseType.DEFAULT_4XX, error: 'the request could not be understood' },
  { type: ResponseType.DEFAULT_5XX, error: ERRORS.internal_error.word },
];

/**
 * `x-amazon-apigateway-gateway-responses`: gives API Gateway's own responses the API's shape and texts, because its
 * default message can echo a token. They are part of the document because an import replaces separate resources.
 */
function gatewayResponses(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    OWN_ANSWERS.map(({ type, status, error }) => [
      type.responseType,
      {
        ...(status !== undefined && { statusCode: String(status) }),
        responseParameters: Object.fromEntries(
          Object.entries(headersOf(status)).map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
        ),
        responseTemplates: { 'application/json': JSON.stringify({ error, request_id: '$context.requestId' }) },
      },
    ]),
  );
}

function headersOf(status: number | undefined): Record<string, string> {
  return {
    ...quoted({ ...SECURITY_HEADERS, ...TLS_ONLY_HEADERS }),
    'x-request-id': 'context.requestId',
    ...(status === ERRORS.too_many_requests.status && quoted({ 'retry-after': '1' })),
  };
}

/**
 * API Gateway takes fixed values in single quotes, with no documented escape: values that contain such quotes are left
 * out.
 */
function quoted(headers: Readonly<Record<string, string>>): Record<string, string> {
  const plain = Object.entries(headers).filter(([, value]) => !value.includes("'"));
  return Object.fromEntries(plain.map(([name, value]) => [name, `'${value}'`]));
}

function said(code: 'body_too_large' | 'too_many_requests' | 'forbidden' | 'not_found' | 'timed_out') {
  return { status: ERRORS[code].status, error: ERRORS[code].word };
}
