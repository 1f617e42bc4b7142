import { JOB_EXAMPLE } from './openapi-job-example.ts';
import type { OpenApiSchema as Schema } from './openapi-schema.ts';

interface Content {
  readonly schema?: Schema;
  example?: unknown;
  readonly examples?: unknown;
}

interface Described {
  readonly content?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}

type Schemas = Readonly<Record<string, Schema>>;

/** The part of an OpenAPI document from which examples are made and to which they are added. */
export interface DocumentWithExamples {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T10:41:00.000Z',
  uri: 'https://example.com',
};

/** Example values of properties without an own example, so that all examples show the same job. */
const BY_SCHEMA: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Job: JOB_EXAMPLE,
  JobSummary: JOB_EXAMPLE,
  JobLifecycle: JOB_EXAMPLE,
  JobResult: JOB_EXAMPLE,
  JobLogs: JOB_EXAMPLE,
  RereadJob: JOB_EXAMPLE,
  JobList: { total: 1, total_complete: true, limit: 50 },
};

/**
 * Adds an example to each body of an OpenAPI document that has none, made from its schema: from the examples of the
 * properties or their first allowed values. Optional properties without an example are omitted.
 * @throws Error for a string schema with a pattern and without an example.
 */
export function addExamples(document: DocumentWithExamples): void {
  const { schemas } = document.components;
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
      for (const media of Object.values(content)) {
        const hasOne = media.example !== undefined || media.examples !== undefined;
        if (media.schema !== undefined && !hasOne) media.example = exampleOf(media.schema, schemas);
      }
    }
  }
}

function exampleOf(schema: Schema, schemas: Schemas, known: Readonly<Record<string, unknown>> = {}): unknown {
  const name = schema.$ref?.slice(schema.$ref.lastIndexOf('/') + 1);
  if (name !== undefined) return exampleOf(schemas[name] ?? {}, schemas, BY_SCHEMA[name]);
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.nullable) return null;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'object') return membersOf(schema, schemas, known);
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return exampleOf(first, schemas);
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, schemas)));
  if (schema.type === 'array') return schema.items === undefined ? [] : [exampleOf(schema.items, schemas)];
  return scalar(schema);
}

function membersOf(
  { properties = {}, required = [] }: Schema,
  schemas: Schemas,
  known: Readonly<Record<string, unknown>>,
) {
  const shown = Object.entries(properties).filter(
    ([name, member]) => required.includes(name) || 'example' in member || name in known,
  );
  return Object.fromEntries(
    shown.map(([name, member]) => [name, name in known ? known[name] : exampleOf(member, schemas)]),
  );
}

function scalar({ type, format, pattern, minimum, minLength = 0 }: Schema): unknown {
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return Math.max(minimum ?? 0, 0);
  if (type !== 'string') return {};
  const known = BY_FORMAT[format ?? ''];
  if (known !== undefined) return known;
  if (pattern !== undefined) throw new Error(`a string schema with the pattern ${pattern} needs an example`);
  return 'text'.padEnd(minLength, 't');
}
