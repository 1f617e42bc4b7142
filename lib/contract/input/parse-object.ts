import type { z } from 'zod';
import { ApiError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { describeIssue, nameList } from './input-fault.ts';
import { rejectUnsound } from './reject-unsound.ts';

/**
 * Parses an object from a client. A null property counts as absent.
 * @param where name of the object in error messages: `body`, `query`.
 * @param options.unknown `ignore`: the schema decides about unknown properties.
 * @throws ApiError `invalid_request` with the first fault; if there are several, `details.faults` lists the first of them.
 */
export function parseObject<S extends z.ZodObject>(
  schema: S,
  where: string,
  value: Readonly<Record<string, unknown>>,
  options: { unknown: 'reject' | 'ignore' } = { unknown: 'reject' },
): z.output<S> {
  rejectUnsound(where, value);
  const unknown = options.unknown === 'reject' ? unknownOf(Object.keys(schema.shape), value) : [];
  const present = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
  const result = schema.safeParse(present);
  if (result.success && unknown.length === 0) return result.data;
  // The schema reports unknown properties too.
  const issues = (result.error?.issues ?? []).filter(
    ({ code, path }) => code !== 'unrecognized_keys' || path.length > 0,
  );
  const sentences = issues.slice(0, LIMITS.faults).map((issue) => describeIssue(where, issue, present));
  if (unknown.length > 0) sentences.unshift(unknownSentence(Object.keys(schema.shape), where, unknown));
  throw ApiError.because('invalid_request', firstOf(sentences, issues.length + (unknown.length > 0 ? 1 : 0)), {
    ...(unknown.length > 0 && { unknown: namesOf(unknown) }),
    ...(sentences.length > 1 && { faults: sentences.slice(0, LIMITS.faults) }),
  });
}

/** The first fault and the number of others. */
export function firstOf([first = 'not valid', ...others]: readonly string[], count = others.length + 1): string {
  return count <= 1 ? first : `${first} (and ${count - 1} more: details.faults)`;
}

/** @throws ApiError that lists the unknown properties and the allowed ones. */
export function rejectUnknown(known: readonly string[], where: string, value: Readonly<Record<string, unknown>>): void {
  const unknown = unknownOf(known, value);
  if (unknown.length > 0)
    throw ApiError.because('invalid_request', unknownSentence(known, where, unknown), { unknown: namesOf(unknown) });
}

/** Names for a program, as they came unless they are longer than any name that it can have meant. */
function namesOf(names: readonly string[]): string[] {
  return names.slice(0, LIMITS.faults).map((name) => name.slice(0, LIMITS.nameLength).toWellFormed());
}

function unknownOf(known: readonly string[], value: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(value).filter((name) => !known.includes(name));
}

function unknownSentence(known: readonly string[], where: string, unknown: readonly string[]): string {
  const allowed = known.length === 0 ? 'none is allowed' : `allowed: ${known.join(', ')}`;
  return `${where}: unknown ${nameList(unknown)}; ${allowed}`;
}
