import * as z from 'zod';

/**
 * A code that a later version of the service wrote. It is shown unchanged, and no decision is based on it. The
 * intersection keeps the known codes distinct in the type.
 */
export type LaterCode = string & Record<never, never>;

/** One of `codes`, or a code of a later version. The OpenAPI document lists only the known ones. */
export function knownOrLater<const T extends string>(codes: readonly T[]) {
  return z
    .union([z.enum(codes), z.string<LaterCode>()])
    .meta({ override: { anyOf: undefined, type: 'string', enum: [...codes] } });
}

/** Whether this version knows a code. */
export function isKnown<T extends string>(codes: readonly T[], code: T | LaterCode): code is T {
  return (codes as readonly string[]).includes(code);
}
