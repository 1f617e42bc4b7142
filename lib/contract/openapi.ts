import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { ERRORS, type ErrorCode } from './errors.ts';
import { LIMITS } from './limits.ts';
import { BASE_PATH, COMMON_ERRORS, type Route } from './route.ts';
import { errorBody } from './schemas/service.ts';

/** The schemes that a caller can prove itself with, by name. */
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API token.' },
  apiToken: { type: 'apiKey', in: 'header', name: 'X-API-Token', description: 'An API token.' },
} as const;

/**
 * The OpenAPI 3.0.3 document of a table of routes. It is the same for every deployment; what differs is added by
 * `describeDeployment`.
 */
export function createOpenApi(routes: readonly Route[], version: string): Record<string, unknown> {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = `${BASE_PATH}${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  const document = createDocument(
    {
      openapi: '3.0.3',
      info: {
        title: 'Promptq',
        version,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
        description: [
          'A remote job queue for prompt-driven agent jobs.',
          'The unit of `timeout` is declared by the deployment: `x-timeout-unit` says which.',
          `A request body has at most ${LIMITS.maxBodyBytes.default} bytes unless the deployment sets another limit.`,
          'A member that is null in a request is taken as absent. Answers may gain members; none is removed within v1.',
        ].join('\n'),
      },
      servers: [{ url: '/' }],
      tags: [...new Set(routes.map(resourceOf))].map((name) => ({ name })),
      paths,
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    { override: ({ jsonSchema }) => mendNullableReference(jsonSchema) },
  );
  return JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
}

function operation(route: Route): ZodOpenApiOperationObject {
  const [resource = '', verb = ''] = route.id.split('.');
  const responses: ZodOpenApiOperationObject['responses'] = {};
  for (const [status, response] of Object.entries(route.responses)) {
    responses[status as `${1 | 2 | 3 | 4 | 5}${string}`] = {
      description: response.description,
      ...(response.schema && {
        content: {
          'application/json': { schema: response.schema },
          ...Object.fromEntries(Object.entries(response.otherMedia ?? {}).map(([type, schema]) => [type, { schema }])),
        },
      }),
      headers: Object.fromEntries(
        Object.entries({ 'x-request-id': 'Id of this request in the log.', ...response.headers }).map(
          ([name, description]) => [name, { description, schema: { type: 'string' as const } }],
        ),
      ),
    };
  }
  for (const [status, codes] of errorsByStatus(route)) {
    responses[status as `${1 | 2 | 3 | 4 | 5}${string}`] = {
      description: codes
        .map((code) => ERRORS[code].word ?? 'A sentence says what was received and what is allowed.')
        .join(' / '),
      content: { 'application/json': { schema: errorBody } },
    };
  }
  return {
    operationId: `${verb}-${resource}`.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [resourceOf(route)],
    security: Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] })),
    'x-required-scope': route.scope,
    ...((route.params || route.query || route.headers) && {
      requestParams: {
        ...(route.params && { path: route.params }),
        ...(route.query && { query: route.query }),
        ...(route.headers && { header: route.headers }),
      },
    }),
    ...(route.body && {
      requestBody: { required: route.bodyOptional !== true, content: { 'application/json': { schema: route.body } } },
    }),
    responses,
  };
}

function resourceOf(route: Route): string {
  return route.id.split('.')[0] ?? '';
}

function errorsByStatus(route: Route): Map<string, ErrorCode[]> {
  const byStatus = new Map<string, ErrorCode[]>();
  for (const code of [...route.errors, ...COMMON_ERRORS]) {
    const status = String(ERRORS[code].status);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/** OpenAPI 3.0 ignores `nullable` beside a reference, and knows no `contentEncoding`. */
function mendNullableReference(schema: Record<string, unknown>): void {
  delete schema.contentEncoding;
  if (schema.nullable === true && Array.isArray(schema.allOf) && schema.type === undefined) {
    schema.anyOf = [...(schema.allOf as unknown[]), { type: 'string', nullable: true, enum: [null] }];
    delete schema.allOf;
    delete schema.nullable;
  }
}
