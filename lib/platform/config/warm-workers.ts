import * as z from 'zod';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** A time of day; a day has no 24:00. */
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time such as 08:00');

/** Workers that wait for jobs, and when: those that a job finds running start it within a second. */
export const warmWorkersSchema = z.strictObject({
  /** How many workers there are at least. */
  count: z.int().min(0).default(0),
  days: z
    .array(z.enum(DAYS))
    .min(1)
    .default([...DAYS]),
  /** From this time on. Equal to `to`: all day. */
  from: timeOfDay.default('00:00'),
  /** Until this time; one before `from` is on the next day. */
  to: timeOfDay.default('00:00'),
  timezone: z.string().refine(isTimezone, 'expected a time zone such as Europe/Berlin').default('UTC'),
});

export type WarmWorkers = z.output<typeof warmWorkersSchema>;

/** The same as the text of an environment variable. */
export const warmWorkersText = z
  .string()
  .default('{}')
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'expected JSON' });
      return z.NEVER;
    }
  })
  .pipe(warmWorkersSchema);

/** The least number of workers at a time, in milliseconds since 1970, whatever the work. */
export function warmWorkersAt({ count, days, from, to, timezone }: WarmWorkers, now: number): number {
  if (count === 0) return 0;
  const { day, time } = localTime(now, timezone);
  const isDay = (at: number) => days.includes(DAYS[(at + DAYS.length) % DAYS.length] ?? 'mon');
  if (from < to) return isDay(day) && time >= from && time < to ? count : 0;
  // The hours after midnight belong to the day before.
  return (time >= from && isDay(day)) || (time < to && isDay(day - 1)) ? count : 0;
}

/** The day, 0 for Monday, and the time there. */
function localTime(now: number, timeZone: string): { day: number; time: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? '';
  const day = (DAYS as readonly string[]).indexOf(part('weekday').toLowerCase());
  return { day, time: `${part('hour')}:${part('minute')}` };
}

function isTimezone(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en-GB', { timeZone }));
  } catch {
    return false;
  }
}
