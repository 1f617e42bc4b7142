import type { z } from 'zod';
import { ApiError } from './errors.ts';
import { faultSentence } from './input-fault.ts';

/**
 * Parses the members of an object that somebody else wrote; a member that is null counts as absent.
 * @param where what a refusal calls the object: `body`, `query`.
 * @param options.unknown `ignore`: members that the schema has not are left to the schema.
 * @throws ApiError `invalid_request` that says what was received, what is allowed and where.
 */
export function parseObject<S extends z.ZodObject>(
  schema: S,
  where: string,
  value: Readonly<Record<string, unknown>>,
  options: { unknown: 'refuse' | 'ignore' } = { unknown: 'refuse' },
): z.output<S> {
  if (options.unknown === 'refuse') refuseUnknown(Object.keys(schema.shape), where, value);
  const present = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue === undefined) throw result.error;
  throw ApiError.because('invalid_request', faultSentence(where, issue, present));
}

/** @throws ApiError that names what is not known and says what is. */
export function refuseUnknown(known: readonly string[], where: string, value: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const allowed = known.length === 0 ? 'none is allowed' : `allowed: ${known.join(', ')}`;
  throw ApiError.because(
    'invalid_request',
    `${where}: unknown ${unknown.map((name) => JSON.stringify(name)).join(', ')}; ${allowed}`,
    { unknown },
  );
}
