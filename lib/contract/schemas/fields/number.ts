import * as z from 'zod';
import { LIMITS } from '../../limits.ts';

/** A whole number within inclusive bounds. */
export function wholeNumber({ min, max }: { readonly min: number; readonly max: number }) {
  const error = `expected a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min).max(max);
}

/** A `timeout` in the deployment's unit, within the range of the table's numbers. */
export function timeoutNumber() {
  const { min, max } = LIMITS.timeout;
  return z
    .number({ error: "expected a number > 0 in the deployment's timeout_unit" })
    .positive({ abort: true })
    .min(min)
    .max(max);
}
