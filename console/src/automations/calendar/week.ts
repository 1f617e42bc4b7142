import type { Automation } from '../automation-queries.ts';

/** What is due on a day. `count` above 1: so many, of which `at` is the first. */
export interface CalendarEntry {
  readonly id: string;
  readonly name: string;
  /** RFC 3339. */
  readonly at: string;
  readonly count: number;
}

/** A day in the time zone of this browser. */
export interface CalendarDay {
  readonly begin: Date;
  readonly entries: readonly CalendarEntry[];
}

const DAYS = 7;

/** More than so many a day of one automation are shown as a count. */
const SINGLE = 3;

/** The beginning of a day, some days after the one of a time. */
export function dayAfter(time: Date, days: number): Date {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate() + days);
}

/** The day in an address, as `2026-11-30`; today if there is none, or it has passed. */
export function firstDay(text: string | null): Date {
  const today = dayAfter(new Date(), 0);
  const [year = 0, month = 0, day = 0] = /^\d{4}-\d\d-\d\d$/.test(text ?? '')
    ? (text ?? '').split('-').map(Number)
    : [];
  const asked = new Date(year, month - 1, day);
  return asked > today ? asked : today;
}

export function dayText(day: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** What is due on the days of the week that begins with a day, in the order of time. */
export function weekOf(first: Date, automations: readonly Automation[]): CalendarDay[] {
  return Array.from({ length: DAYS }, (_, days) => {
    const [begin, end] = [dayAfter(first, days), dayAfter(first, days + 1)];
    const entries = automations.flatMap((one) => entriesOf(one, begin, end));
    return { begin, entries: entries.toSorted((a, b) => (a.at < b.at ? -1 : 1)) };
  });
}

function entriesOf({ id, name, due }: Automation, begin: Date, end: Date): CalendarEntry[] {
  const hours = (due ?? []).filter(({ at }) => at >= begin.toISOString() && at < end.toISOString());
  const count = hours.reduce((sum, hour) => sum + hour.count, 0);
  const [first] = hours;
  if (first === undefined) return [];
  if (count > SINGLE) return [{ id, name, at: first.at, count }];
  return hours.map((hour) => ({ id, name, ...hour }));
}
