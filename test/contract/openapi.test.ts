import { readFileSync } from 'node:fs';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ERRORS } from '../../lib/contract/errors.ts';
import { isDescribed } from '../../lib/contract/openapi/openapi.ts';
import { BASE_PATH, type RouteResponse } from '../../lib/contract/route.ts';
import { routes } from '../../lib/contract/routes/routes.ts';
import { errorBody } from '../../lib/contract/schemas/service.ts';

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

/** A copy for each test: validators change their input. */
let document: Record<string, unknown>;
beforeEach(() => {
  document = JSON.parse(text);
});

describe('openapi.json', () => {
  test('declares version 3.0.3', () => {
    expect(document.openapi).toBe('3.0.3');
  });

  test('is valid for a validator that uses the schema of OpenAPI', async () => {
    const validator = new Validator();
    expect(await validator.validate(document)).toEqual({ valid: true });
    expect(validator.version).toBe('3.0');
  });

  test('is valid for a validator that follows references and judges the meaning', async () => {
    const validated = await SwaggerParser.validate(structuredClone(document) as never);
    expect(validated).toMatchObject({ openapi: '3.0.3' });
  });
});

const media = z.object({
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
});
const described = z.object({
  $ref: z.string().optional(),
  description: z.string().optional(),
  headers: z.record(z.string(), z.unknown()).default({}),
  content: z.record(z.string(), media).default({}),
});
const contract = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string().min(1),
        summary: z.string().min(1),
        security: z.array(z.record(z.string(), z.array(z.string()))).min(1),
        'x-required-scope': z.string().optional(),
        parameters: z
          .array(z.object({ name: z.string(), in: z.string(), schema: z.record(z.string(), z.unknown()) }))
          .default([]),
        requestBody: described.optional(),
        responses: z.record(z.string(), described),
      }),
    ),
  ),
  components: z.object({
    responses: z.record(z.string(), described),
    securitySchemes: z.record(z.string(), z.unknown()),
  }),
});

describe('what openapi.json says of', () => {
  const { paths, components } = contract.parse(JSON.parse(text));
  const operationOf = ({ method, path }: { method: string; path: string }) => {
    const operation = paths[`${BASE_PATH}${path}`]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`${method} ${path} is not described`);
    return operation;
  };
  const responseOf = (body: z.output<typeof described>) =>
    body.$ref === undefined ? body : components.responses[body.$ref.split('/').at(-1) ?? ''];

  test.each(routes.filter(isDescribed))('$id: its requests and answers have examples, and these are valid', (route) => {
    const { requestBody, responses } = operationOf(route);
    const input = requestBody?.content['application/json'];
    if (route.body !== undefined) expect(route.body.safeParse(input?.example).error).toBeUndefined();
    for (const [status, response] of Object.entries<RouteResponse>(route.responses)) {
      const { example, examples } = responses[status]?.content['application/json'] ?? {};
      const { schema } = response;
      // Those of a refusal in either of two forms are judged below.
      if (examples !== undefined) continue;
      if (schema !== undefined) expect(schema.safeParse(example).error).toBeUndefined();
    }
  });

  test.each(routes.filter(isDescribed))('$id: every refusal, with its body, its headers and examples', (route) => {
    const { responses } = operationOf(route);
    const statuses = new Set([...route.errors, 'invalid_request', 'unauthorized', 'too_many_requests'] as const);
    for (const status of [
      400,
      401,
      403,
      413,
      429,
      500,
      503,
      504,
      ...[...statuses].map((code) => ERRORS[code].status),
    ]) {
      const response = responseOf(responses[String(status)] ?? { headers: {}, content: {} });
      expect(Object.keys(response?.headers ?? {}), String(status)).toContain('x-request-id');
      if ([429, 503].includes(status)) expect(Object.keys(response?.headers ?? {})).toContain('Retry-After');
      const examples = Object.values(response?.content['application/json']?.examples ?? {});
      expect(examples.length, String(status)).toBeGreaterThan(0);
      for (const { value } of examples) expect(errorBody.safeParse(value).error).toBeUndefined();
    }
  });

  test.each(routes.filter(isDescribed))(
    '$id: who may call it, by schemes that are declared and without scopes of theirs',
    (route) => {
      const { security } = operationOf(route);
      const ALL = ['bearer', 'apiToken', 'perimeter', 'telegram', 'browserSession'];
      const schemes = security.map((scheme) => Object.keys(scheme)[0] ?? '');
      expect(schemes).toEqual(
        { 'admin-sessions': ['browserSession'], tokens: ['bearer', 'apiToken'], none: ALL }[route.auth.only ?? 'none'],
      );
      expect(Object.keys(components.securitySchemes)).toEqual(expect.arrayContaining(schemes));
      expect(security.flatMap((scheme) => Object.values(scheme).flat())).toEqual([]);
    },
  );

  test.each(routes.filter(isDescribed))('$id: every parameter with its bounds', (route) => {
    const bounds = ['enum', 'format', 'maximum', 'maxLength', 'minLength', 'pattern'];
    for (const { name, schema } of operationOf(route).parameters) {
      expect([name, bounds.some((bound) => bound in schema)]).toEqual([name, true]);
      if (schema.type === 'integer')
        expect(schema).toMatchObject({ minimum: expect.any(Number), maximum: expect.any(Number) });
    }
  });

  test('names of operations: each is used once', () => {
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
