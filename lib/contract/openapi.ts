import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { ERRORS, type ErrorCode } from './errors.ts';
import { LIMITS } from './limits.ts';
import { errorResponse, headersOf, OTHER_REFUSAL, REQUEST_ID_HEADER } from './openapi-errors.ts';
import { addExamples, type DocumentWithExamples } from './openapi-examples.ts';
import { BASE_PATH, COMMON_ERRORS, type Route } from './route.ts';

/** The schemes that a caller can prove itself with, by name. */
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API token.' },
  apiToken: { type: 'apiKey', in: 'header', name: 'X-API-Token', description: 'An API token.' },
  perimeter: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Perimeter-Token',
    description: 'The secret that the deployment shares with its own trusted proxy. Not subject to scopes.',
  },
  telegram: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Telegram-Init-Data',
    description: 'Init data of a Telegram Mini App, at most an hour old. What its user may do goes by role.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-promptq',
    description:
      'A browser after sign-in. What its user may do goes by role. Over plain http, as on a laptop, the name has no prefix.',
  },
} as const;

/** What every route that is not for signed-in administrators alone takes. */
const ALL_SCHEMES = Object.keys(SECURITY_SCHEMES);

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
    { override: ({ jsonSchema, io }) => mend(jsonSchema, io) },
  );
  const plain = JSON.parse(JSON.stringify(document)) as Record<string, unknown> & DocumentWithExamples;
  addExamples(plain);
  return plain;
}

function operation(route: Route): ZodOpenApiOperationObject {
  const [resource = '', verb = ''] = route.id.split('.');
  const responses: ZodOpenApiOperationObject['responses'] = {};
  for (const [status, response] of Object.entries(route.responses)) {
    responses[status as `${1 | 2 | 3 | 4 | 5}${string}`] = {
      description: response.description,
      ...((response.schema || response.otherMedia) && {
        content: {
          ...(response.schema && { 'application/json': { schema: response.schema } }),
          ...Object.fromEntries(Object.entries(response.otherMedia ?? {}).map(([type, schema]) => [type, { schema }])),
        },
      }),
      headers: headersOf({ ...REQUEST_ID_HEADER, ...response.headers }),
    };
  }
  for (const [status, codes] of errorsByStatus(route)) {
    responses[status as `${1 | 2 | 3 | 4 | 5}${string}`] = errorResponse(codes);
  }
  responses.default = OTHER_REFUSAL;
  return {
    operationId: `${verb}-${resource}`.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [resourceOf(route)],
    security: (route.only === 'admin-sessions' ? ['session'] : ALL_SCHEMES).map((name) => ({ [name]: [] })),
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
  for (const code of new Set<ErrorCode>([...route.errors, ...COMMON_ERRORS])) {
    const status = String(ERRORS[code].status);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/**
 * OpenAPI 3.0 ignores `nullable` beside a reference, and knows no `contentEncoding`. Answers may gain members, so that
 * none may be called closed; the digits of a whole number are no pattern of it.
 */
function mend(schema: Record<string, unknown>, io: 'input' | 'output'): void {
  delete schema.contentEncoding;
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.type === 'integer') delete schema.pattern;
  if (schema.nullable === true && Array.isArray(schema.allOf) && schema.type === undefined) {
    schema.anyOf = [...(schema.allOf as unknown[]), { type: 'string', nullable: true, enum: [null] }];
    delete schema.allOf;
    delete schema.nullable;
  }
}
