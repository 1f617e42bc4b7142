import type { TimeoutUnit } from './env.ts';

/** Milliseconds per unit. */
const UNIT: Readonly<Record<TimeoutUnit, number>> = { milliseconds: 1, seconds: 1_000, minutes: 60_000 };

/** A job's timeout in milliseconds; `undefined`: none. */
export function timeoutMs(timeout: number | undefined, unit: TimeoutUnit): number | undefined {
  return timeout === undefined ? undefined : timeout * UNIT[unit];
}
