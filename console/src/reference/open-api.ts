import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';

/** A schema of OpenAPI 3.0, with the members that the service's document has. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}
/** By media type. */
type Contents = Readonly<Record<string, Content>>;

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Parameter>>;
  readonly content?: Contents;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface PathOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Contents };
  readonly responses: Readonly<Record<string, Response>>;
  readonly 'x-required-scope'?: string;
  readonly 'x-required-principal'?: string;
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>;
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Response>>;
    readonly securitySchemes?: Readonly<
      Record<
        string,
        { readonly type: string; readonly in?: string; readonly name?: string; readonly description?: string }
      >
    >;
  };
}

export interface Operation extends PathOperation {
  /** In capitals. */
  readonly method: string;
  /** With the base path, such as `/api/v1/jobs/{id}`. */
  readonly path: string;
}

/** The document that describes this deployment's API. It changes only with an upgrade. */
export const openApiQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async () => (await dataOf(api.GET('/api/v1/openapi.json'))) as unknown as OpenApi,
  staleTime: Number.POSITIVE_INFINITY,
});

/** All operations, in the order of the document. */
export function operationsOf(document: OpenApi): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** The operations that contain every word of the query, also in scopes and names of the input. */
export function findOperations(document: OpenApi, operations: readonly Operation[], query: string): Operation[] {
  const words = query.toLowerCase().split(/\s+/);
  return operations.filter((operation) => {
    const { method, path, operationId, summary, description, parameters = [], requestBody } = operation;
    const bodies = Object.values(requestBody?.content ?? {}).map(({ schema = {} }) => schemaOf(document, schema));
    const names = [parameters.map(({ name }) => name), bodies.map(({ properties = {} }) => Object.keys(properties))];
    const text = [method, path, operationId, summary, description, operation['x-required-scope'], names.flat(2)];
    const within = text.flat().join(' ').toLowerCase();
    return words.every((word) => within.includes(word));
  });
}

/** The last part of a reference: `#/components/schemas/Job` → `Job`. */
const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);

/** Without reference, and without the wrapping of one that has a description of its own or may be null. */
export function schemaOf(document: OpenApi, schema: Schema): Schema {
  if (schema.$ref !== undefined) return document.components.schemas?.[nameOf(schema.$ref)] ?? {};
  const { allOf, anyOf, ...own } = schema;
  const variants = allOf ?? anyOf?.filter((one) => !isNull(one)) ?? [];
  const [only] = variants;
  if (only === undefined || variants.length > 1) return schema;
  return { ...schemaOf(document, only), ...own, ...(anyOf && anyOf.length > 1 && { nullable: true }) };
}

/** The schema of null, which OpenAPI 3.0 has no type for. */
const isNull = ({ enum: values }: Schema) => values?.length === 1 && values[0] === null;

export function responseOf({ components }: OpenApi, response: Response): Response {
  return response.$ref === undefined ? response : (components.responses?.[nameOf(response.$ref)] ?? {});
}

/** The examples of a body, as text. */
export function examplesOf({ example, examples }: Content): readonly string[] {
  const values = [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples ?? {}).map(({ value }) => value),
  ];
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2)));
}

/** The type in words, such as `array of string or null`. */
export function typeText(document: OpenApi, schema: Schema): string {
  const { type, format, items, nullable = false, anyOf, oneOf, additionalProperties } = schemaOf(document, schema);
  const variants = anyOf ?? oneOf;
  const word = () => {
    if (variants) return [...new Set(variants.map((one) => typeText(document, one)))].join(' or ');
    if (type === 'array') return `array of ${items ? typeText(document, items) : 'any'}`;
    if (type === 'object' && typeof additionalProperties === 'object')
      return `map of ${typeText(document, additionalProperties)}`;
    return `${type ?? 'any'}${format === undefined ? '' : ` (${format})`}`;
  };
  const text = word();
  return nullable && !text.endsWith('or null') ? `${text} or null` : text;
}

/** What values are allowed, in words. */
export function limitsOf(schema: Schema): readonly string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, format } = schema;
  return [
    rangeText(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ''),
    rangeText(minLength, maxLength, ' characters'),
    rangeText(minItems, maxItems, ' items'),
    // That of a time is what its format says, in hundreds of characters.
    pattern === undefined || format !== undefined ? undefined : `matches ${pattern}`,
  ].filter((text) => text !== undefined);
}

function rangeText(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined ? undefined : `at least ${least}${unit}`;
}
