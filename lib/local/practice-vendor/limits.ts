import * as z from 'zod';
import { NOT_LOGGED_IN, type Refusal, usageLimit } from './model/refusal.ts';

/** Limits that apply to every request, whatever its prompt: an operator parks and releases jobs with them. */
export const limitsSchema = z.strictObject({
  /** Until then every request gets the usage limit; `null`: none. RFC 3339. */
  usage_limit_until: z.iso.datetime({ offset: true }).nullable(),
  logged_in: z.boolean(),
});
export type Limits = z.output<typeof limitsSchema>;

export const NO_LIMITS: Limits = { usage_limit_until: null, logged_in: true };

/** Why a request is rejected now, if it is. */
export function refusedBy(limits: Limits): Refusal | undefined {
  if (!limits.logged_in) return NOT_LOGGED_IN;
  if (limits.usage_limit_until === null) return undefined;
  const until = new Date(limits.usage_limit_until);
  return until.getTime() > Date.now() ? usageLimit(until) : undefined;
}
