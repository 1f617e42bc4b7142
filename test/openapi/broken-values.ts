import { compile, type Schema } from './operations.ts';

/** Something that a schema doesn't admit. */
export interface Broken {
  /** What is wrong where, for messages. */
  readonly what: string;
  readonly value: unknown;
}

const OF_EVERY_TYPE = [null, 'text', '', 7, 1.5, -1, 2 ** 53, true, [], [7], {}, { x: 1 }];
/** One of each type. */
const OF_EACH_TYPE = [null, 'text', 7, true, [7], { x: 1 }];

/** Values at and beyond each bound of a schema, and of every other type, that it does not admit. */
export function brokenValues(schema: Schema, place = 'value'): Broken[] {
  const judge = compile(schema);
  const candidates: unknown[] = [...foreignValues(schema), ...beyondBounds(schema)];
  const wrong = candidates
    .filter((value) => !judge.safeParse(value).success)
    .map((value) => ({ what: `${place} is ${shorten(value)}`, value }));
  return [...wrong, ...brokenWithin(schema, place)];
}

/**
 * Values of every type. A number can be made of many a value, which differ in that; what takes no number and is no number
 * refuses all values of another type alike.
 */
function foreignValues({ type }: Schema): readonly unknown[] {
  if (type !== 'string' && type !== 'boolean' && type !== 'array' && type !== 'object') return OF_EVERY_TYPE;
  const own = OF_EVERY_TYPE.filter((value) => typeOf(value) === type);
  return [...own, ...OF_EACH_TYPE.filter((value) => typeOf(value) !== type)];
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A valid object with one member broken, missing or unknown. */
export function brokenObjects(schema: Schema, valid: Readonly<Record<string, unknown>>, place: string): Broken[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.entries(properties).flatMap(([name, member]) =>
    brokenValues(member, `${place}.${name}`).map(({ what, value }) => ({ what, value: { ...valid, [name]: value } })),
  );
  const missing = required.flatMap((name) => [
    { what: `${place}.${name} is missing`, value: { ...valid, [name]: undefined } },
    { what: `${place}.${name} is null`, value: { ...valid, [name]: null } },
  ]);
  const unknown =
    additionalProperties === false
      ? [{ what: `${place} has an unknown member`, value: { ...valid, no_such_member: 1 } }]
      : [];
  return [...members, ...missing, ...unknown];
}

function beyondBounds({
  minimum,
  maximum,
  minLength,
  maxLength,
  minItems,
  maxItems,
  enum: allowed,
}: Schema): unknown[] {
  return [
    ...(minimum === undefined ? [] : [minimum, minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(minLength === undefined || minLength === 0 ? [] : ['x'.repeat(minLength - 1)]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(minItems === undefined || minItems === 0 ? [] : [[]]),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => 'x')]),
    ...(allowed === undefined ? [] : ['no such value']),
  ];
}

function brokenWithin(schema: Schema, place: string): Broken[] {
  if (schema.type === 'array' && schema.items !== undefined)
    return brokenValues(schema.items, `${place}.0`).map(({ what, value }) => ({ what, value: [value] }));
  if (schema.type === 'object' && schema.properties !== undefined) return brokenObjects(schema, {}, place);
  return [];
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 30)}… (${text.length} characters)` : text;
}
