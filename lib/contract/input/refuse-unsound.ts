import { ApiError } from '../errors.ts';

/** Deeper values serve nobody, and exhaust the stack of whoever walks through them. */
const MAX_DEPTH = 64;

/**
 * Refuses what is valid JSON and yet can't be kept: half a surrogate pair, which no storage takes as text, values nested
 * without end, and inner members called `__proto__`, which schemas of free names leave out without a word. One of the
 * value itself is refused as unknown.
 * @param where what a refusal calls the value.
 * @throws ApiError `invalid_request` that names the place.
 */
export function refuseUnsound(where: string, value: unknown, depth = 0): void {
  if (typeof value === 'string') refuseHalfPairs(where, value);
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH)
    throw ApiError.because('invalid_request', `${where}: nested too deep; ${MAX_DEPTH} levels are allowed`);
  for (const [name, member] of Object.entries(value)) {
    refuseHalfPairs(where, name);
    if (name === '__proto__' && depth > 0)
      throw ApiError.because('invalid_request', `${where}: __proto__ is no name that is allowed`);
    refuseUnsound(`${where}.${name}`, member, depth + 1);
  }
}

function refuseHalfPairs(where: string, text: string): void {
  if (text.isWellFormed()) return;
  throw ApiError.because('invalid_request', `${where}: received half of a surrogate pair; expected valid Unicode`);
}
