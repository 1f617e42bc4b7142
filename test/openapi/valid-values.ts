import fc from 'fast-check';
import type { Schema } from './operations.ts';

/** Longest text and list that is made without need: length is a matter of the broken values. */
const LONGEST = { text: 60, list: 4 } as const;

/** Values that a schema admits. @throws Error for a keyword that this doesn't know, so that nothing is passed over. */
export function validValues(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.nullable) return fc.option(validValues({ ...schema, nullable: false }), { freq: 9 });
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return fc.oneof(...branches.map(validValues));
  if (schema.allOf !== undefined && schema.type !== 'object') {
    const [only, ...more] = schema.allOf;
    if (only === undefined || more.length > 0) throw new Error('allOf of several schemas is not known here');
    return validValues(only);
  }
  switch (schema.type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return integers(schema);
    case 'number':
      return numbers(schema);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(validValues(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? LONGEST.list, LONGEST.list)),
      });
    case 'object':
      return objects(schema);
    case undefined:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function texts(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = LONGEST.text } = schema;
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (format === 'uri') return fc.webUrl({ validSchemes: ['https'] });
  if (format === 'email') return fc.emailAddress();
  if (format === 'uuid') return fc.uuid();
  if (format !== undefined) throw new Error(`strings of format ${format} are not known here`);
  if (pattern !== undefined)
    return fc
      .stringMatching(new RegExp(pattern))
      .filter(({ length }) => length >= minLength && length <= (schema.maxLength ?? Number.POSITIVE_INFINITY));
  const bounds = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, LONGEST.text)) };
  return fc.oneof(
    fc.string({ ...bounds, unit: 'grapheme-ascii' }),
    // Bounds count UTF-16 units, of which a character may take two.
    fc.string({ ...bounds, unit: 'binary' }).filter(({ length }) => length <= maxLength),
    fc
      .string({
        ...bounds,
        unit: fc.constantFrom('\0', '\n', '/', '..', '%', '"', '\\', '\u202e', '😀', '\ud800', '#'),
      })
      .filter(({ length }) => length <= maxLength),
  );
}

function integers({ minimum, maximum }: Schema): fc.Arbitrary<number> {
  const bounds = { min: minimum ?? Number.MIN_SAFE_INTEGER, max: maximum ?? Number.MAX_SAFE_INTEGER };
  return fc
    .oneof(fc.constantFrom(bounds.min, bounds.max), fc.integer(bounds), fc.maxSafeInteger())
    .filter((value) => value >= bounds.min && value <= bounds.max);
}

function numbers(schema: Schema): fc.Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  return (
    fc
      .double({
        ...(minimum !== undefined && { min: minimum, minExcluded: exclusiveMinimum }),
        ...(maximum !== undefined && { max: maximum, maxExcluded: exclusiveMaximum }),
        noNaN: true,
        noDefaultInfinity: true,
      })
      // JSON knows no -0.
      .map((value) => value + 0)
  );
}

function objects(schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, allOf = [] } = schema;
  const [alternatives, ...more] = allOf;
  if (more.length > 0) throw new Error('an object with several schemas in allOf is not known here');
  if (alternatives !== undefined)
    return fc.oneof(...(alternatives.anyOf ?? []).map((one) => objects(withRequired(schema, one.required ?? []))));
  const members = Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, validValues(member)]));
  const known = fc.record(members, { requiredKeys: [...required] });
  if (typeof additionalProperties !== 'object' || Object.keys(properties).length > 0) return known;
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), validValues(additionalProperties), { maxKeys: 3 });
}

function withRequired({ allOf: _, ...schema }: Schema, names: readonly string[]): Schema {
  const needed = names.map((name) => [name, { ...schema.properties?.[name], nullable: false }] as const);
  return {
    ...schema,
    properties: { ...schema.properties, ...Object.fromEntries(needed) },
    required: [...(schema.required ?? []), ...names],
  };
}
