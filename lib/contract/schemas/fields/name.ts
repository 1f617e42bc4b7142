import * as z from 'zod';
import { isLegible, LEGIBLE } from '../../input/legible.ts';

/** Part of the description of every field with a `nameText`. */
export const NAME_NOTE = 'Normalized to Unicode NFC. No control, bidirectional or invisible characters.';

/** The most UTF-16 units that NFC composes into one. */
const UNITS_COMPOSED = 4;

/**
 * Unicode NFC of a text that may have `max` UTF-16 units then. Normalizing takes quadratic time for some texts, so one
 * that is too long in any spelling is returned as it is, for a check of its length to refuse.
 */
export function composed(max: number): (text: string) => string {
  return (text) => (text.length > UNITS_COMPOSED * max ? text : text.normalize('NFC'));
}

/**
 * A text in Unicode NFC.
 * @param max maximum length, in UTF-16 units of the normalized text; nothing else is checked of a longer one
 * @param error message for a value that is not a string.
 */
export function normalizedText(max: number, error?: string) {
  return z
    .string(error === undefined ? {} : { error })
    .overwrite(composed(max))
    .max(max, { abort: true });
}

/**
 * A name that a client gives: equal names have one spelling, and every character is visible.
 * @param max maximum length, in UTF-16 units of the normalized text.
 * @param error message for a value that is not a string.
 */
export function nameText(max: number, error?: string) {
  return normalizedText(max, error).min(1).refine(isLegible, LEGIBLE);
}

/** A path on a worker: checked like a name, but not normalized, because file systems compare names byte by byte. */
export function pathText(max: number) {
  return z.string().min(1).max(max, { abort: true }).refine(isLegible, LEGIBLE);
}
