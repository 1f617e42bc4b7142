/**
 * The time at which a CLI says that a limit ends, RFC 3339: `resets 3pm`, `resets Dec 9 at 1am (Europe/Berlin)`, `try
 * again at Nov 25th, 2026 5:07 PM`, `try again in 2 days 3 hours`. A time without a zone is this process's, as both CLIs
 * print it; without a date, the first one that is not over.
 * @returns undefined: it says none
 */
export function resetTime(text: string, now: Date): string | undefined {
  const said = STATED.exec(text);
  if (said === null) return undefined;
  const rest = text.slice(said.index, said.index + MOST);
  return rfc3339(instantIn(rest)) ?? rfc3339(afterIn(rest, now)) ?? rfc3339(clockTimeIn(rest, now));
}

/** What comes before a time. */
const STATED = /\b(?:resets?|try again|retry after|regain access|available again|limit reached\|)/i;
/** Characters after the beginning of such words. */
const MOST = 120;

function rfc3339(milliseconds: number | undefined): string | undefined {
  if (milliseconds === undefined) return undefined;
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** `2026-12-01T00:00:00Z`, `2026-12-01 at 00:00 UTC`, `|1795182231` in Unix seconds. */
function instantIn(text: string): number | undefined {
  const unix = /\|(?<seconds>\d{10})\b/.exec(text)?.groups?.seconds;
  if (unix !== undefined) return Number(unix) * 1_000;
  const { day, time, zone } =
    /(?<day>\d{4}-\d\d-\d\d)(?:T| at | )(?<time>\d\d:\d\d(?::\d\d)?)(?:\.\d+)? ?(?<zone>UTC|Z|[+-]\d\d:\d\d)/.exec(text)
      ?.groups ?? {};
  if (day === undefined) return undefined;
  return Date.parse(`${day}T${time}${zone === 'UTC' ? 'Z' : zone}`);
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** `in 2 days 3 hours`, `in 1h 30m`, `after 20 seconds`. */
function afterIn(text: string, now: Date): number | undefined {
  const spans = /\b(?:in|after):? (?<spans>(?:\d{1,5}(?:\.\d+)? ?(?:d|h|m|s)[a-z]{0,7}[, ]*(?:and )?)+)/i.exec(text);
  if (spans?.groups?.spans === undefined) return undefined;
  const parts = spans.groups.spans.matchAll(/(?<count>\d+(?:\.\d+)?) ?(?<unit>[dhms])(?!s\b)/gi);
  return Array.from(parts).reduce(
    (end, { groups }) => end + Number(groups?.count) * (UNITS[groups?.unit?.toLowerCase() ?? ''] ?? Number.NaN),
    now.getTime(),
  );
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const CLOCK =
  /(?:\b(?:(?<weekday>Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]{0,6}|(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?),?(?: at)? )?\b(?<hour>\d{1,2})(?::(?<minute>\d\d))? ?(?:(?<half>[ap])\.?m\b)?(?:[^\n(]{0,10}\((?<zone>[A-Za-z_+-]{1,20}(?:\/[A-Za-z_+-]{1,20}){0,2})\))?/i;

/** A time of day, with or without its date. */
function clockTimeIn(text: string, now: Date): number | undefined {
  const said = CLOCK.exec(text)?.groups;
  if (said === undefined || (said.half === undefined && said.minute === undefined)) return undefined;
  const zone = said.zone !== undefined && isZone(said.zone) ? said.zone : undefined;
  const hour = said.half === undefined ? Number(said.hour) : (Number(said.hour) % 12) + (/p/i.test(said.half) ? 12 : 0);
  const today = wallClock(now.getTime(), zone);
  const month = said.month === undefined ? today.month : MONTHS.indexOf(said.month.slice(0, 3).toLowerCase());
  const isDated = said.month !== undefined;
  const at = (years: number, days: number) =>
    instantOf(
      {
        year: Number(said.year ?? today.year) + years,
        month,
        day: Number(said.day ?? today.day) + days,
        hour,
        // Both CLIs cut off the seconds: the limit ends before the next minute begins.
        minute: Number(said.minute ?? 0) + (said.minute === undefined ? 0 : 1),
      },
      zone,
    );
  if (said.year !== undefined) return at(0, 0);
  const isOver = (time: number) => time < now.getTime() - 60_000;
  if (isDated) return isOver(at(0, 0)) ? at(1, 0) : at(0, 0);
  const wanted = said.weekday === undefined ? -1 : WEEKDAYS.indexOf(said.weekday.slice(0, 3).toLowerCase());
  const first = wanted === -1 ? 0 : (wanted - today.weekday + 7) % 7;
  return isOver(at(0, first)) ? at(0, first + (wanted === -1 ? 1 : 7)) : at(0, first);
}

function isZone(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en-GB', { timeZone }));
  } catch {
    return false;
  }
}

interface WallClock {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** What a clock shows in a zone. @param zone undefined: this process's */
function wallClock(time: number, zone: string | undefined): WallClock & { readonly weekday: number } {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', weekday: 'short' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  }).formatToParts(time);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? '';
  return {
    ...{ year: Number(part('year')), month: Number(part('month')) - 1, day: Number(part('day')) },
    ...{ hour: Number(part('hour')), minute: Number(part('minute')) },
    weekday: WEEKDAYS.indexOf(part('weekday').toLowerCase()),
  };
}

/** When a clock in a zone shows that; where it shows it twice, the first time. */
function instantOf({ year, month, day, hour, minute }: WallClock, zone: string | undefined): number {
  const wanted = Date.UTC(year, month, day, hour, minute);
  const offsetAt = (time: number) => {
    const shown = wallClock(time, zone);
    return Date.UTC(shown.year, shown.month, shown.day, shown.hour, shown.minute) - Math.floor(time / 60_000) * 60_000;
  };
  const day_ms = 86_400_000;
  const candidates = [offsetAt(wanted - day_ms), offsetAt(wanted + day_ms)].map((offset) => wanted - offset);
  const fitting = candidates.filter((time) => time + offsetAt(time) === wanted);
  return Math.min(...(fitting.length > 0 ? fitting : candidates));
}
