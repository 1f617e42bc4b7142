import * as z from 'zod';

/** What a caller without the scope `logs` gets in place of a value; `beside`: the object that has it. */
type Withhold = (value: unknown, beside: Readonly<Record<string, unknown>>) => unknown;

const OUTPUT = z.registry<{ readonly withhold: Withhold }>();

/**
 * Marks a field as output of commands or agents, which only callers with the scope `logs` get.
 * @param withhold default: null, or nothing if the field is optional
 */
export function outputField<S extends z.ZodType>(schema: S, withhold?: Withhold): S {
  const nothing = schema instanceof z.ZodOptional ? undefined : null;
  OUTPUT.add(schema, { withhold: withhold ?? (() => nothing) });
  return schema;
}

/** Whether a field is marked as output. */
export function isOutputField(schema: z.core.$ZodType): boolean {
  return OUTPUT.has(schema);
}

/** An answer as callers without the scope `logs` get it. */
export function withoutOutput(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return withoutOutput(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => withoutOutput(schema.element, item));
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object') return value;
  const members: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(value));
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const field = schema.shape[name];
      if (field === undefined) return [name, member];
      const mark = OUTPUT.get(field);
      return [name, mark === undefined ? withoutOutput(field, member) : mark.withhold(member, members)];
    }),
  );
}
