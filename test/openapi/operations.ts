import * as z from 'zod';

/** A schema of OpenAPI 3.0 with its references resolved; the keywords that generated requests go by. */
export interface Schema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

/** One operation of an OpenAPI document. */
export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  /** As in the document, such as `/api/v1/jobs/{id}`. */
  readonly path: string;
  /** Absent for signed-in administrators alone. */
  readonly scope: string | undefined;
  /** Whether it is for signed-in administrators alone. */
  readonly signedIn: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly required: boolean; readonly schema: Schema } | undefined;
  /** What may be answered: by status the media types with their schemas; none: no body is promised. */
  readonly answers: ReadonlyMap<number, ReadonlyMap<string, z.ZodType>>;
}

type Json = Record<string, unknown>;

/** @throws Error for a reference to nothing, or a schema that refers to itself, which generated values could not end with. */
export function operationsOf(document: Json): Operation[] {
  return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, given]) => {
      const operation = resolve(document, given, []) as {
        operationId: string;
        'x-required-scope'?: string;
        security: readonly Readonly<Record<string, unknown>>[];
        parameters?: Parameter[];
        requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
        responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
      };
      const body = operation.requestBody;
      const schema = body?.content['application/json']?.schema;
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        scope: operation['x-required-scope'],
        signedIn: operation.security.every((scheme) => 'browserSession' in scheme),
        parameters: operation.parameters ?? [],
        body: schema && { required: body?.required === true, schema },
        answers: new Map(
          Object.entries(operation.responses).map(([status, { content = {} }]) => [
            Number(status),
            new Map(Object.entries(content).map(([type, media]) => [type, compile(media.schema)])),
          ]),
        ),
      };
    }),
  );
}

/** What judges values by a schema of the document that has a name. */
export function schemaNamed(document: Json, name: string): z.ZodType {
  return compile(resolve(document, { $ref: `#/components/schemas/${name}` }, []) as Schema);
}

/** What judges values by a schema. */
export function compile(schema: Schema): z.ZodType {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0], { defaultTarget: 'openapi-3.0' });
}

function resolve(document: Json, value: unknown, within: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(document, item, within));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && typeof value.$ref === 'string') {
    if (within.includes(value.$ref)) throw new Error(`${value.$ref} refers to itself`);
    return resolve(document, referred(document, value.$ref), [...within, value.$ref]);
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(document, member, within)]));
}

function referred(document: Json, reference: string): unknown {
  const found = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Json | undefined)?.[name], document);
  if (found === undefined) throw new Error(`there is no ${reference}`);
  return found;
}
