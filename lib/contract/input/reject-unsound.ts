import { ApiError } from '../errors.ts';
import { placeOf, received } from './input-fault.ts';

/** Deeper values have no use and exhaust the stack of recursive code. */
const MAX_DEPTH = 64;

/**
 * Rejects valid JSON that can't be stored or passed on: half a surrogate pair, the character NUL, at which arguments,
 * variables and paths of processes end, excessive nesting, and inner properties named `__proto__`, which schemas with
 * free names drop silently. At the top level `__proto__` is an unknown property.
 * @param where name of the value in error messages.
 * @throws ApiError `invalid_request` with the place.
 */
export function rejectUnsound(where: string, value: unknown): void {
  rejectWithin(where, value, []);
}

function rejectWithin(where: string, value: unknown, path: PropertyKey[]): void {
  if (typeof value === 'string') rejectText(where, value, path);
  if (typeof value !== 'object' || value === null) return;
  if (path.length === MAX_DEPTH) throw fault(where, path, `nested too deep; ${MAX_DEPTH} levels are allowed`);
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    rejectText(where, name, path);
    if (name === '__proto__' && path.length > 0) throw fault(where, path, '__proto__ is not an allowed name');
    path.push(isList ? Number(name) : name);
    rejectWithin(where, member, path);
    path.pop();
  }
}

function rejectText(where: string, text: string, path: readonly PropertyKey[]): void {
  if (!text.isWellFormed()) throw fault(where, path, 'received half of a surrogate pair; expected valid Unicode');
  if (text.includes('\0')) throw fault(where, path, `received ${received(text)}; expected text without NUL`);
}

function fault(where: string, path: readonly PropertyKey[], why: string): ApiError {
  return ApiError.because('invalid_request', `${placeOf(where, path)}: ${why}`);
}
