import { localTime, type Schedule, stepper } from './schedule.ts';

/*
 * The due instants of a week by the hour, for a calendar. Finding an instant takes a tenth of a millisecond, and a week
 * has 10,080 minutes, so the instants of an hour are counted once: an expression matches the same minutes in each of its
 * hours. Hours next to a change of the clocks are counted one by one, because fixed times move there.
 */

/** The due instants of an hour of the schedule's zone. `at`: the first, in milliseconds since 1970. */
interface DueHour {
  readonly at: number;
  readonly count: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The due instants from a time on and before another one. */
export function dueByHour(schedule: Schedule, from: number, to: number): DueHour[] {
  const next = stepper(schedule);
  /** How many an undisturbed hour has from a minute on. */
  const usual = new Map<number, number>();
  const found: DueHour[] = [];
  let at = next(from - 1);
  while (at !== undefined && at < to) {
    const minute = Number(localTime(at, schedule.timezone).slice(14, 16));
    const end = Math.min(to, at + HOUR_MS - minute * MINUTE_MS - (at % MINUTE_MS));
    const isUsual = end < to && schedule.cron !== undefined && isUndisturbed(at, minute, schedule.timezone);
    const count = (isUsual ? usual.get(minute) : undefined) ?? countUntil(next, at, end);
    if (isUsual) usual.set(minute, count);
    found.push({ at, count });
    at = next(end - 1);
  }
  return found;
}

function countUntil(next: (after: number) => number | undefined, first: number, end: number): number {
  let count = 0;
  for (let at: number | undefined = first; at !== undefined && at < end; at = next(at)) count += 1;
  return count;
}

/** Whether the clocks change neither in the hour of an instant nor where it begins or ends. */
function isUndisturbed(at: number, minute: number, timezone: string): boolean {
  const begin = at - minute * MINUTE_MS;
  const offsets = [begin - MINUTE_MS, at, begin + HOUR_MS].map((time) => localTime(time, timezone).slice(19));
  return new Set(offsets).size === 1;
}
