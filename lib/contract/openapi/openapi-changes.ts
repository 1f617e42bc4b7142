import type { OpenApiSchema as Schema } from './openapi-schema.ts';

interface Body {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Operation {
  readonly operationId?: string;
  readonly 'x-required-scope'?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

/** The compared part of an OpenAPI document. */
export interface ComparedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Body>>;
    readonly securitySchemes?: Readonly<
      Record<string, { readonly in?: string; readonly name?: string; readonly scheme?: string }>
    >;
  };
}

/** Request schemas may only require less, response schemas may only promise more. */
type Direction = 'request' | 'answer';

const ONLY_FAILED = 'The operation could only fail. The service answers it as before.';

const NEVER_WORKED = "Numbers outside this range were answered with 500, because the table can't store them.";

/** Breaking changes since the released document that no client can depend on, with the reason. */
export const ACCEPTED_CHANGES: Readonly<Record<string, string>> = {
  'POST /api/v1/jobs/{id}/{action}: removed': ONLY_FAILED,
  'POST /api/v1/config/import: body.profiles[].timeout: minimum was 0, is 1e-100': NEVER_WORKED,
  'POST /api/v1/config/import: body.profiles[].timeout: maximum was not given, is 9007199254740991': NEVER_WORKED,
};

/**
 * Breaking changes between two versions of an API, one sentence each: what was removed or renamed, is newly required, is
 * no longer allowed or no longer promised. Additions are not breaking.
 */
export function breakingChanges(before: ComparedDocument, after: ComparedDocument): string[] {
  const found: string[] = [];
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const where = `${method.toUpperCase()} ${path}`;
      const now = after.paths[path]?.[method];
      if (now === undefined) found.push(`${where}: removed`);
      else found.push(...new Comparison(before, after).operations(where, operation, now));
    }
  }
  return found;
}

class Comparison {
  readonly #before: ComparedDocument;
  readonly #after: ComparedDocument;
  /** Pairs of schemas under comparison; a schema can contain itself. */
  readonly #open = new Set<string>();

  constructor(before: ComparedDocument, after: ComparedDocument) {
    this.#before = before;
    this.#after = after;
  }

  *operations(where: string, before: Operation, after: Operation): Generator<string> {
    yield* changed(`${where}: operationId`, before.operationId, after.operationId);
    // Scopes apply to tokens; for an operation that accepts none, the scope has no meaning.
    if (before.security === undefined || this.#schemes(before, 'before').some(({ is }) => !is.startsWith('cookie ')))
      yield* changed(`${where}: scope`, before['x-required-scope'], after['x-required-scope']);
    const schemes = this.#schemes(after, 'after').map(({ is }) => is);
    for (const { name, is } of this.#schemes(before, 'before')) {
      if (!schemes.includes(is)) yield `${where}: the scheme ${name} is no longer accepted`;
    }
    yield* this.#parameters(where, before.parameters ?? [], after.parameters ?? []);
    yield* this.#requests(where, before.requestBody, after.requestBody);
    for (const [status, body] of Object.entries(before.responses)) {
      const now = after.responses[status];
      if (now !== undefined) yield* this.#answers(`${where}: ${status}`, body, now);
      // Errors that `default` covered may be listed one by one, with the same body.
      else if (status === 'default') yield* this.#named(where, body, before, after);
      else yield `${where}: the status ${status} is removed`;
    }
  }

  /** The schemes that an operation accepts: the name of each in the document, and what a client sends. */
  #schemes({ security = [] }: Operation, side: 'before' | 'after') {
    const described = this.#document(side).components?.securitySchemes ?? {};
    return security.flatMap(Object.keys).map((name) => {
      const scheme = described[name] ?? { name };
      return { name, is: [scheme.in, scheme.name, scheme.scheme].filter(Boolean).join(' ') };
    });
  }

  *#named(where: string, byDefault: Body, before: Operation, after: Operation): Generator<string> {
    const added = Object.entries(after.responses).filter(([status]) => before.responses[status] === undefined);
    const refusals = added.filter(([status]) => Number(status) >= 400);
    if (refusals.length === 0) yield `${where}: the status default is removed`;
    for (const [status, body] of refusals) yield* this.#answers(`${where}: ${status}`, byDefault, body);
  }

  #answers(where: string, before: Body, after: Body): Generator<string> {
    return this.#contents(where, this.#response(before, 'before'), this.#response(after, 'after'), 'answer');
  }

  *#parameters(where: string, before: readonly Parameter[], after: readonly Parameter[]): Generator<string> {
    const keyOf = (parameter: Parameter) => `${parameter.in} parameter ${parameter.name}`;
    for (const parameter of before) {
      const now = after.find((other) => keyOf(other) === keyOf(parameter));
      if (now === undefined) yield `${where}: the ${keyOf(parameter)} is removed`;
      else yield* this.#schemas(`${where}: ${keyOf(parameter)}`, parameter.schema, now.schema, 'request');
    }
    for (const parameter of after) {
      const was = before.find((other) => keyOf(other) === keyOf(parameter))?.required === true;
      if (parameter.required && !was) yield `${where}: the ${keyOf(parameter)} is required now`;
    }
  }

  *#requests(where: string, before: Body | undefined, after: Body | undefined): Generator<string> {
    if (after?.required && !before?.required) yield `${where}: a body is required now`;
    if (before !== undefined) yield* this.#contents(`${where}: body`, before, after ?? {}, 'request');
  }

  *#contents(where: string, before: Body, after: Body, direction: Direction): Generator<string> {
    for (const [type, { schema }] of Object.entries(before.content ?? {})) {
      const now = after.content?.[type];
      if (now === undefined) yield `${where}: ${type} is removed`;
      else yield* this.#schemas(where, schema, now.schema, direction);
    }
  }

  *#schemas(where: string, from: Schema | undefined, to: Schema | undefined, direction: Direction): Generator<string> {
    const pair = `${direction} ${from?.$ref} ${to?.$ref}`;
    if (from?.$ref !== undefined && this.#open.has(pair)) return;
    this.#open.add(pair);
    const [before, after] = [this.#schema(from, 'before'), this.#schema(to, 'after')];
    if (direction === 'request' && before.anyOf !== undefined && after.anyOf === undefined) {
      for (const part of before.anyOf) yield* this.#schemas(where, part, to, direction);
      this.#open.delete(pair);
      return;
    }
    yield* changed(`${where}: type`, before.type, after.type ?? (direction === 'request' ? before.type : undefined));
    yield* changed(`${where}: format`, before.format, after.format);
    yield* direction === 'request' ? narrowed(where, before, after) : loosened(where, before, after);
    for (const value of before.enum ?? []) {
      if (after.enum !== undefined && !after.enum.includes(value))
        yield `${where}: ${JSON.stringify(value)} is removed`;
    }
    for (const [name, member] of Object.entries(before.properties ?? {})) {
      const now = after.properties?.[name];
      if (now === undefined) yield `${where}.${name}: removed`;
      else yield* this.#schemas(`${where}.${name}`, member, now, direction);
    }
    if (before.items !== undefined) yield* this.#schemas(`${where}[]`, before.items, after.items, direction);
    for (const kind of ['allOf', 'anyOf'] as const) {
      for (const [at, part] of (before[kind] ?? []).entries())
        yield* this.#schemas(where, part, after[kind]?.[at] ?? (at === 0 ? to : part), direction);
    }
    this.#open.delete(pair);
  }

  #schema(schema: Schema | undefined, side: 'before' | 'after'): Schema {
    const [only, ...more] = schema?.allOf ?? [];
    // An `allOf` with one reference and nothing else is that reference.
    if (only?.$ref !== undefined && more.length === 0 && Object.keys(schema ?? {}).length === 1)
      return this.#schema(only, side);
    if (schema?.$ref === undefined) return schema ?? {};
    return this.#document(side).components?.schemas?.[nameOf(schema.$ref)] ?? {};
  }

  #response(body: Body, side: 'before' | 'after'): Body {
    if (body.$ref === undefined) return body;
    return this.#document(side).components?.responses?.[nameOf(body.$ref)] ?? {};
  }

  #document(side: 'before' | 'after'): ComparedDocument {
    return side === 'before' ? this.#before : this.#after;
  }
}

function* changed(what: string, before: string | undefined, after: string | undefined): Generator<string> {
  if (before !== undefined && before !== after) yield `${what} was ${before}, is ${after ?? 'not given'}`;
}

/** What a client may no longer send. */
function* narrowed(where: string, before: Schema, after: Schema): Generator<string> {
  for (const name of after.required ?? []) {
    if (!before.required?.includes(name)) yield `${where}.${name}: required now`;
  }
  if (before.enum === undefined && after.enum !== undefined && before.type !== undefined)
    yield `${where}: only some values are allowed now`;
  if (before.nullable && !after.nullable) yield `${where}: null is no longer allowed`;
  for (const [name, isTighter] of before.enum === undefined ? BOUNDS : []) {
    const [was, is] = [before[name], after[name]];
    if (is !== undefined && (was === undefined || isTighter(is, was)))
      yield `${where}: ${name} was ${was ?? 'not given'}, is ${is}`;
  }
  if (after.pattern !== undefined && after.pattern !== before.pattern) yield `${where}: pattern is ${after.pattern}`;
}

/** What a client can no longer rely on. */
function* loosened(where: string, before: Schema, after: Schema): Generator<string> {
  for (const name of before.required ?? []) {
    if (after.properties?.[name] !== undefined && !after.required?.includes(name))
      yield `${where}.${name}: may be missing now`;
  }
  if (!before.nullable && after.nullable) yield `${where}: can be null now`;
}

const BOUNDS = [
  ['minimum', (is: number, was: number) => is > was],
  ['minLength', (is: number, was: number) => is > was],
  ['maximum', (is: number, was: number) => is < was],
  ['maxLength', (is: number, was: number) => is < was],
] as const;

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
