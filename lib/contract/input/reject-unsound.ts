import { ApiError } from '../errors.ts';

/** Deeper values have no use and exhaust the stack of recursive code. */
const MAX_DEPTH = 64;

/**
 * Rejects valid JSON that can't be stored: half a surrogate pair, excessive nesting, and inner properties named
 * `__proto__`, which schemas with free names drop silently. At the top level `__proto__` is an unknown property.
 * @param where name of the value in error messages.
 * @throws ApiError `invalid_request` with the place.
 */
export function rejectUnsound(where: string, value: unknown, depth = 0): void {
  if (typeof value === 'string') rejectLoneSurrogates(where, value);
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH)
    throw ApiError.because('invalid_request', `${where}: nested too deep; ${MAX_DEPTH} levels are allowed`);
  for (const [name, member] of Object.entries(value)) {
    rejectLoneSurrogates(where, name);
    if (name === '__proto__' && depth > 0)
      throw ApiError.because('invalid_request', `${where}: __proto__ is not an allowed name`);
    rejectUnsound(`${where}.${name}`, member, depth + 1);
  }
}

function rejectLoneSurrogates(where: string, text: string): void {
  if (text.isWellFormed()) return;
  throw ApiError.because('invalid_request', `${where}: received half of a surrogate pair; expected valid Unicode`);
}
