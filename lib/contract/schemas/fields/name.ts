import * as z from 'zod';
import { isLegible, LEGIBLE } from '../../input/legible.ts';

/** Part of the description of every field with a `nameText`. */
export const NAME_NOTE = 'Normalized to Unicode NFC. No control, bidirectional or invisible characters.';

/**
 * A name that a client gives: equal names have one spelling, and every character is visible.
 * @param max maximum length, in UTF-16 units of the normalized text.
 * @param error message for a value that is not a string.
 */
export function nameText(max: number, error?: string) {
  return z
    .string(error === undefined ? {} : { error })
    .normalize('NFC')
    .min(1)
    .max(max)
    .refine(isLegible, LEGIBLE);
}

/** A path on a worker: checked like a name, but not normalized, because file systems compare names byte by byte. */
export function pathText(max: number) {
  return z.string().min(1).max(max).refine(isLegible, LEGIBLE);
}
