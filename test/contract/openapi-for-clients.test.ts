import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { OpenApiSchema as Schema } from '../../lib/contract/openapi/openapi-schema.ts';

interface Media {
  readonly schema?: Schema;
}

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-required-scope'?: string;
  readonly 'x-required-principal'?: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const { tags, paths, components } = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
) as Document;
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

/** Every schema of the document with its path, such as `Job.properties.status`. */
function* schemasWithin(at: string, value: unknown): Generator<[string, Schema]> {
  if (typeof value !== 'object' || value === null) return;
  yield [at, value as Schema];
  for (const [name, member] of Object.entries(value)) {
    if (!['example', 'examples', 'enum'].includes(name)) yield* schemasWithin(`${at}.${name}`, member);
  }
}

/** Schemas that stand inside others and get a name from generators: of the parent and of the property. */
function* inlineNames(parent: string, schema: Schema): Generator<string> {
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const own = `${parent}${pascalCase(name)}`;
    const inner = member.items ?? member;
    if (isNamed(inner)) yield own;
    yield* inlineNames(own, inner);
  }
  for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? [])]) yield* inlineNames(parent, part);
}

function isNamed({ enum: values, properties, anyOf, oneOf }: Schema): boolean {
  return [values, properties, anyOf, oneOf].some((part) => part !== undefined);
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
}

describe('schemas', () => {
  test('no component has the name that generators give to a schema inside another one', () => {
    const inline = Object.entries(components.schemas).flatMap(([name, schema]) => [...inlineNames(name, schema)]);
    expect(inline).toContain('JobStatus');
    expect(inline.filter((name) => name in components.schemas)).toEqual([]);
  });

  test('a nullable enum contains null, and `nullable` is beside a type', () => {
    for (const [at, { nullable, enum: values, type }] of schemasWithin('', { paths, components })) {
      if (nullable !== true) continue;
      expect([at, typeof type]).toEqual([at, 'string']);
      if (values !== undefined) expect([at, values]).toEqual([at, expect.arrayContaining([null])]);
    }
  });

  test('no schema is named as a security scheme, and no nullable enum has a default', () => {
    const schemes = Object.keys(components.securitySchemes).map((name) => name.toLowerCase());
    expect(Object.keys(components.schemas).filter((name) => schemes.includes(name.toLowerCase()))).toEqual([]);
    const bodies = operations.map(({ requestBody }) => requestBody);
    const found = [...schemasWithin('bodies', bodies), ...schemasWithin('schemas', components.schemas)];
    const withDefault = found.filter(([, schema]) => schema.enum && schema.nullable && 'default' in schema);
    expect(withDefault.map(([at]) => at)).toEqual([]);
  });

  test('an optional text of a request that may be empty is no union', () => {
    const { properties = {} } = components.schemas.ProjectEdit ?? {};
    expect(Object.values(properties).filter((member) => member.type === undefined)).toEqual([]);
    expect(properties.ref).toMatchObject({ type: 'string', maxLength: 255, nullable: true });
  });

  test.each(operations.filter(({ requestBody }) => requestBody))(
    '$operationId takes null for an optional member as absent',
    ({ requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema ?? {};
      expect(membersWithoutNull(schema)).toEqual([]);
    },
  );
});

/** Optional members of a request's objects, at any depth, that have a type which null is not of. */
function membersWithoutNull(given: Schema, at = 'body'): string[] {
  const schema = given.$ref === undefined ? given : resolved(given.$ref);
  const parts = [...(schema.allOf ?? []), ...(schema.items === undefined ? [] : [schema.items])];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    ...(schema.required?.includes(name) || admitsNull(member) ? [] : [`${at}.${name}`]),
    ...membersWithoutNull(member, `${at}.${name}`),
  ]);
  return [...members, ...parts.flatMap((part) => membersWithoutNull(part, at))];
}

function admitsNull({ type, nullable, anyOf, allOf, $ref }: Schema): boolean {
  if ($ref !== undefined || allOf !== undefined) return false;
  return nullable === true || (anyOf?.some(admitsNull) ?? type === undefined);
}

function resolved(reference: string): Schema {
  return components.schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? {};
}

describe('operations', () => {
  test('every operation and every tag has a description', () => {
    expect(operations.filter(({ description }) => !description).map(({ operationId }) => operationId)).toEqual([]);
    expect(tags.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  });

  test.each(operations)('$operationId names every status that it answers with', ({ responses }) => {
    expect(Object.keys(responses)).not.toContain('default');
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['400', '401', '403', '408', '413', '429', '431', '500', '502', '503', '504']),
    );
  });

  test('401 names the accepted credentials', () => {
    expect(components.responses.Unauthorized?.headers).toHaveProperty('WWW-Authenticate');
  });

  test('each operation names its scope, and one that no token may call its principal too', () => {
    const forSessions = operations.filter(({ security }) => security.every((scheme) => 'browserSession' in scheme));
    expect(forSessions.length).toBeGreaterThan(0);
    for (const operation of operations) {
      const isForSessions = forSessions.includes(operation);
      expect(operation).toHaveProperty('x-required-scope');
      expect('x-required-principal' in operation).toBe(isForSessions);
    }
  });
});
