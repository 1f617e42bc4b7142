import { Aws, Duration } from 'aws-cdk-lib';
import { type Method, pathParameters, type Route } from '../../contract/route.ts';
import { gatewayResponses } from './gateway-responses.ts';

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
