import type { TimeoutUnit } from './core-env.ts';

/** Milliseconds per unit. */
const UNIT: Readonly<Record<TimeoutUnit, number>> = { milliseconds: 1, seconds: 1_000, minutes: 60_000 };

/** A job's timeout in milliseconds; `undefined`: none. */
export function timeoutMs(timeout: number | undefined, unit: TimeoutUnit): number | undefined {
  return timeout === undefined ? undefined : timeout * UNIT[unit];
}

/** A timeout in readable form: `1 second`, `5 minutes`. */
export function timeoutText(timeout: number, unit: TimeoutUnit): string {
  return `${timeout} ${timeout === 1 ? unit.slice(0, -1) : unit}`;
}
