import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { BASE_PATH, COMMON_ERRORS, REQUIRED_PRINCIPALS, type Route } from '../route.ts';
import { doctorReport, logEndEvent, logOutputEvent } from '../schemas/printed.ts';
import { eitherResponse, errorResponse, headersOf, REQUEST_ID_HEADER } from './openapi-errors.ts';
import { addExamples, type DocumentWithExamples } from './openapi-examples.ts';
import { admitNulls, holdNull } from './openapi-nulls.ts';
import { TAG_TEXTS } from './tags.ts';

/** What the command line prints besides answers; no route has them. */
const PRINTED = { LogOutputEvent: logOutputEvent, LogEndEvent: logEndEvent, DoctorReport: doctorReport };

/** Security schemes by name. */
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API token.' },
  apiToken: { type: 'apiKey', in: 'header', name: 'X-API-Token', description: 'An API token.' },
  perimeter: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Perimeter-Token',
    description: 'The secret that the deployment shares with its trusted proxy. Not subject to scopes.',
  },
  telegram: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Telegram-Init-Data',
    description:
      'Init data of a Telegram Mini App, at most one hour old. The role of the user determines the permissions.',
  },
  // Named differently than every schema: generators make one type of both.
  browserSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-promptq',
    description:
      'Session of a signed-in browser. The role of the user determines the permissions. Over plain HTTP, as in the local run, the cookie name has no prefix.',
  },
} as const;

/** Schemes of the routes that are restricted to some principals. */
const SCHEMES: Readonly<Record<keyof typeof REQUIRED_PRINCIPALS, readonly string[]>> = {
  'admin-sessions': ['browserSession'],
  tokens: ['bearer', 'apiToken'],
};
const ALL_SCHEMES = Object.keys(SECURITY_SCHEMES);

/**
 * Left out: the Model Context Protocol describes its messages itself, its clients use no generated ones, and a path whose
 * answers have several forms ends some generators. And a route that rejects whatever it gets.
 */
const UNDESCRIBED: readonly string[] = ['mcp.call', 'jobs.refuse-action'];

export const isDescribed = ({ id }: { readonly id: string }): boolean => !UNDESCRIBED.includes(id);

/**
 * The OpenAPI 3.0.3 document of a routing table. It is the same for every deployment; `describeDeployment` adds the
 * differences.
 */
export function createOpenApi(allRoutes: readonly Route[], version: string): Record<string, unknown> {
  const routes = allRoutes.filter(isDescribed);
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
        contact: { name: 'The operator of this deployment' },
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
        description: [
          'A remote job queue for prompt-driven agent jobs.',
          'The deployment declares the unit of `timeout` in `x-timeout-unit`.',
          `The maximum size of a request body is ${LIMITS.maxBodyBytes.default} bytes, unless the deployment sets another limit.`,
          'Bodies are JSON in UTF-8; U+FFFD replaces other bytes, whatever the header Content-Type says.',
          'A null property in a request counts as absent. Responses may gain properties; none is removed within v1.',
          'If a request has several credentials, the first of API token, perimeter token, Telegram and session applies. Send an',
          'API token as `Authorization: Bearer` or as `X-API-Token`; two different tokens are rejected, and so is a header with',
          'a credential that is sent twice. Other authorization schemes are ignored.',
          '`x-required-scope` of an operation is the scope that it needs, where scopes are enforced. Operations with',
          '`x-required-principal` are those of the console, which no API token may call, whatever its scopes.',
        ].join('\n'),
      },
      servers: [{ url: '/' }],
      tags: [...new Set(routes.map(resourceOf))].map((name) => ({ name, description: tagText(name) })),
      paths,
      components: { securitySchemes: SECURITY_SCHEMES, schemas: PRINTED },
      'x-command-line-output': Object.keys(PRINTED).map((name) => ({ $ref: `#/components/schemas/${name}` })),
    },
    { override: ({ jsonSchema, io }) => mend(jsonSchema, io) },
  );
  const plain = JSON.parse(JSON.stringify(document)) as Record<string, unknown> & DocumentWithExamples;
  admitNulls(plain as never);
  tidy(plain);
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
    const own = route.responses[Number(status)];
    responses[status as `${1 | 2 | 3 | 4 | 5}${string}`] = own?.schema
      ? eitherResponse(own.description, own.schema, codes)
      : errorResponse(codes);
  }
  const { scope, only } = route.auth;
  return {
    operationId: `${verb}-${resource}`.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    summary: route.summary,
    description: route.description,
    tags: [resourceOf(route)],
    security: (only === undefined ? ALL_SCHEMES : SCHEMES[only]).map((name) => ({ [name]: [] })),
    'x-required-scope': scope,
    ...(only === 'admin-sessions' && { 'x-required-principal': REQUIRED_PRINCIPALS[only] }),
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

/** Replaces an `allOf` that contains only a reference by the reference, and drops the pattern of integer parameters. */
function tidy(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && value.type === 'integer' && 'pattern' in value) delete value.pattern;
  const { allOf, ...others } = value as { allOf?: { $ref?: string }[] };
  if (allOf?.length === 1 && allOf[0]?.$ref !== undefined && Object.keys(others).length === 0) {
    delete (value as { allOf?: unknown }).allOf;
    Object.assign(value, allOf[0]);
  }
  for (const member of Object.values(value)) tidy(member);
}

/** @throws Error for a resource without a description. */
function tagText(name: string): string {
  const text = TAG_TEXTS[name];
  if (text === undefined) throw new Error(`the resource ${name} has no description in lib/contract/openapi/tags.ts`);
  return text;
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
 * OpenAPI 3.0 ignores `nullable` next to a reference and has no `contentEncoding`. Responses may gain properties, so their
 * schemas stay open. A nullable enum must contain null.
 */
function mend(schema: Record<string, unknown>, io: 'input' | 'output'): void {
  delete schema.contentEncoding;
  holdNull(schema);
  mergeEmptyText(schema);
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.nullable === true && Array.isArray(schema.allOf) && schema.type === undefined) {
    schema.anyOf = [...(schema.allOf as unknown[]), { type: 'string', nullable: true, enum: [null] }];
    delete schema.allOf;
    delete schema.nullable;
  }
}

/** A text or an empty one is one text, without a pattern: not all generators know a union of two. */
function mergeEmptyText(schema: Record<string, unknown>): void {
  const [empty, text, ...more] = (schema.anyOf ?? []) as Record<string, unknown>[];
  const isEmpty = Array.isArray(empty?.enum) && empty.enum.length === 1 && empty.enum[0] === '';
  if (!isEmpty || text?.type !== 'string' || text.minLength !== undefined || more.length > 0) return;
  delete schema.anyOf;
  const { pattern: _, ...others } = text;
  Object.assign(schema, others);
}
