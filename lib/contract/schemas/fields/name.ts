import * as z from 'zod';
import { isLegible, LEGIBLE } from '../../input/legible.ts';

/** Said in descriptions of fields that hold a `nameText`. */
export const NAME_NOTE = 'Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters.';

/**
 * What a client names something: one spelling of what looks the same, and nothing that hides what it is.
 * @param max longest length, in UTF-16 units of the normalised text.
 * @param error what is said of a value that is no string.
 */
export function nameText(max: number, error?: string) {
  return z
    .string(error === undefined ? {} : { error })
    .normalize('NFC')
    .min(1)
    .max(max)
    .refine(isLegible, LEGIBLE);
}

/** A path on a worker. File systems take names byte by byte, so that it is judged as a name is, and not normalised. */
export function pathText(max: number) {
  return z.string().min(1).max(max).refine(isLegible, LEGIBLE);
}
