import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import { quoted } from '../contract/input/legible.ts';
import { LIMITS } from '../contract/limits.ts';

/*
 * When a schedule is due: the rule, which docs/guide/automations.md states and a test judges by another implementation.
 *
 * - A cron expression names local times of its zone, to the minute. It is due at each of them, once for each real minute.
 * - Its times are fixed if neither minutes nor hours have a `*` or a step. When clocks change, a fixed time that is left
 *   out is due at the end of the gap, if that is on the same date; one that comes twice is due the first time. Two fixed
 *   times that meet at the end of a gap are due once.
 * - Other times follow the clock: those that are left out are not due, those that come twice are due twice.
 * - `every` counts real time from when the schedule was set.
 *
 * croner decides by `nextRun`, never by `match`, which denies its own run at the end of a gap.
 */

/** A schedule as stored. `anchor`: from when `every` counts, RFC 3339. */
export interface Schedule {
  readonly cron?: string | undefined;
  readonly every?: string | undefined;
  readonly timezone: string;
  readonly anchor: string;
}

const NICKNAMES = ['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually'];

/** The characters of a field, except the additions of croner: `?`, `W` after a day, `+` before a weekday. */
const FIELD = /^[0-9A-Za-z*,/#-]+$/;
const NEAREST_WEEKDAY = /(^|[\d,L])W/i;

const UNITS = { m: 60, h: 3_600, d: 86_400 } as const;

let zones: ReadonlyMap<string, string> | undefined;

/** The zones by name in lower case. */
function knownZones(): ReadonlyMap<string, string> {
  zones ??= new Map(['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => [name.toLowerCase(), name]));
  return zones;
}

/** The zone in its one spelling. @returns `fault`: what is wrong with the name */
export function zoneNamed(name: string): { readonly zone: string } | { readonly fault: string } {
  const zone = knownZones().get(name.toLowerCase());
  if (zone !== undefined) return { zone };
  const fault = `received ${quoted(name)}; expected UTC or an IANA time zone such as Europe/Berlin`;
  const other = name.includes('/') ? otherNameOf(name) : undefined;
  return { fault: other === undefined ? fault : `received ${quoted(name)}; use its other name ${other}` };
}

function otherNameOf(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return knownZones().get(timeZone.toLowerCase());
  } catch {
    return undefined;
  }
}

/** What is wrong with a cron expression; undefined: nothing. @param zone one that `zoneNamed` returned */
export function cronFault(expression: string, zone: string): string | undefined {
  const received = `received ${quoted(expression)}`;
  const fields = expression.split(' ');
  const isNickname = expression.startsWith('@');
  if (isNickname && !NICKNAMES.includes(expression)) return `${received}; the nicknames are ${NICKNAMES.join(', ')}`;
  if (!isNickname && (fields.length !== 5 || !fields.every((field) => FIELD.test(field))))
    return `${received}; expected five fields separated by one blank, minute hour day month weekday, or a nickname such as @daily`;
  if (NEAREST_WEEKDAY.test(fields[2] ?? '')) return `${received}; W is not supported`;
  try {
    if (cron(expression, zone).nextRun(new Date()) === null) return `${received}, which is never due`;
    return undefined;
  } catch (error) {
    return `${received}: ${(error as Error).message.replace(/^Cron\w*: /, '')}`;
  }
}

/** What is wrong with an interval such as `90m`; undefined: nothing. */
export function intervalFault(every: string): string | undefined {
  const { min, max } = LIMITS.automations.everySeconds;
  const seconds = secondsOf(every);
  if (seconds >= min && seconds <= max) return undefined;
  return `received ${quoted(every)}; expected minutes, hours or days, such as 30m, 6h or 2d, from ${min / UNITS.m}m to ${max / UNITS.d}d`;
}

function secondsOf(every: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(every) ?? [];
  return unit === undefined ? Number.NaN : Number(count) * UNITS[unit as keyof typeof UNITS];
}

/** Due on days that match either field, which surprises. */
export function isEitherDay({ cron: expression }: Schedule): boolean {
  const [, , day = '*', , weekday = '*'] = expression?.split(' ') ?? [];
  return day !== '*' && weekday !== '*';
}

/** The first due instant after another instant; milliseconds since 1970. @returns undefined: there is none */
export function nextDue(schedule: Schedule, after: number): number | undefined {
  return dueAfter(schedule, after, 1)[0];
}

/** The first due instants after another instant, at most so many, and none after `until`. @param schedule none: never due */
export function dueAfter(
  schedule: Schedule | undefined,
  after: number,
  most: number,
  until = Number.POSITIVE_INFINITY,
): number[] {
  if (schedule === undefined) return [];
  const found: number[] = [];
  const next = stepper(schedule);
  for (let at = next(after); at !== undefined && at <= until && found.length < most; at = next(at)) found.push(at);
  return found;
}

/** What returns the first due instant after another one. */
export function stepper({
  cron: expression,
  every,
  timezone,
  anchor,
}: Schedule): (after: number) => number | undefined {
  if (every !== undefined) {
    const [begin, step] = [Date.parse(anchor), secondsOf(every) * 1000];
    return (after) => begin + Math.max(1, Math.floor((after - begin) / step) + 1) * step;
  }
  const rule = cron(expression ?? '', timezone);
  return (after) => rule.nextRun(new Date(after))?.getTime();
}

function cron(expression: string, timezone: string): Cron {
  return new Cron(expression, { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true });
}

/** How long after a due instant an automation starts: always the same for one, in seconds below `jitter`. */
export function delayOf(id: string, jitter = 0): number {
  if (jitter === 0) return 0;
  return createHash('sha256').update(`jitter ${id}`).digest().readUInt32BE() % jitter;
}

/** By zone: making one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
    timeZoneName: 'longOffset',
  });
}

/** An instant in its zone, as `2026-03-08T03:00:00-04:00`. */
export function localTime(at: number, timezone: string): string {
  const format = formats.get(timezone) ?? formatIn(timezone);
  formats.set(timezone, format);
  const parts = format.formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? '';
  const offset = part('timeZoneName').replace(/^GMT$/, 'GMT+00:00').replace('GMT', '');
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}${offset}`;
}
