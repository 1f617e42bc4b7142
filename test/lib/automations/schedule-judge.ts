import type { SeededRandom } from '../../simulation/seeded-random.ts';

/*
 * The rule of docs/guide/automations.md once more, over Intl alone: a table of the real minutes around a change of the
 * clocks with their local times, and an expression as five sets. It shares no code with what it judges.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Half the width of the table of minutes; due instants of a day before and after a change are judged. */
const REACH = 52 * HOUR;

/** Clocks change at whole quarters of an hour, so that Intl is asked for these alone. */
const QUARTER = 15;

interface Local {
  readonly date: string;
  readonly minutes: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
}

/** The instants at which a zone's offset changes. */
export function transitionsOf(zone: string, firstYear: number, lastYear: number): number[] {
  const offset = offsetOf(zone);
  const found: number[] = [];
  const end = Date.UTC(lastYear + 1, 0);
  for (let day = Date.UTC(firstYear, 0); day < end; day += 24 * HOUR) {
    let [low, high] = [day, day + 24 * HOUR];
    if (offset(low) === offset(high)) continue;
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
      if (offset(middle) === offset(low)) low = middle;
      else high = middle;
    }
    found.push(high);
  }
  return found;
}

function offsetOf(zone: string): (at: number) => number {
  const local = localIn(zone);
  return (at) => {
    const { date, minutes } = local(at);
    return Date.parse(`${date}T00:00Z`) / MINUTE + minutes - at / MINUTE;
  };
}

function localIn(zone: string): (at: number) => Local {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  });
  return (at) => {
    const [date = '', time = ''] = format.format(at).split(', ');
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    const midnight = new Date(`${date}T00:00Z`);
    return {
      date,
      minutes: hour * 60 + minute,
      day: midnight.getUTCDate(),
      month: midnight.getUTCMonth() + 1,
      weekday: midnight.getUTCDay(),
    };
  };
}

interface Minute {
  readonly at: number;
  readonly local: Local;
}

/** Judges expressions around one change of a zone's clocks. */
export class ScheduleJudge {
  readonly #at: number;
  readonly #minutes: Minute[] = [];
  readonly #byDate: ReadonlyMap<string, readonly Minute[]>;

  constructor(zone: string, at: number) {
    this.#at = at;
    const local = localIn(zone);
    for (let quarter = at - REACH; quarter < at + REACH; quarter += QUARTER * MINUTE) {
      const first = local(quarter);
      for (let minute = 0; minute < QUARTER; minute += 1)
        this.#minutes.push({ at: quarter + minute * MINUTE, local: { ...first, minutes: first.minutes + minute } });
    }
    this.#byDate = Map.groupBy(this.#minutes, (one) => one.local.date);
  }

  /** A random expression with times near the change. */
  expressionNear(random: SeededRandom): string {
    const before = this.#minutes.find(({ at }) => at === this.#at - MINUTE)?.local.minutes ?? 0;
    const hour = (by: number) => (Math.floor(before / 60) + by + 24) % 24;
    const near = () => hour(random.integer(-1, 2));
    const minute = () => random.pick([0, 1, 15, 29, 30, 31, 45, 59, random.integer(0, 59)]);
    const minutes = random.pick([
      `${minute()}`,
      `${minute()}`,
      `${minute()},${minute()}`,
      '*',
      `*/${random.pick([5, 15, 20, 30])}`,
      '10-20',
      '0-30/10',
    ]);
    const hours = random.pick([
      `${near()}`,
      `${near()}`,
      `${near()},${near()}`,
      `${hour(-8)},${near()}`,
      '*',
      `*/${random.pick([2, 3])}`,
      ...(hour(0) < 22 ? [`${hour(0)}-${hour(0) + 2}`] : []),
    ]);
    const local = this.#minutes.find(({ at }) => at === this.#at)?.local;
    const day = random.pick(['*', '*', '*', `${local?.day}`, `${local?.day},15`, '*/2']);
    const month = random.pick(['*', '*', '*', `${local?.month}`]);
    const weekday = random.pick(['*', '*', '*', `${local?.weekday}`, '0-6', '1-5']);
    return `${minutes} ${hours} ${day} ${month} ${weekday}`;
  }

  dueBetween(expression: string, after: number, until: number): number[] {
    const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.split(' ');
    const [minutes, hours] = [setOf(minute, 0, 59), setOf(hour, 0, 23)];
    const [days, months, weekdays] = [setOf(day, 1, 31), setOf(month, 1, 12), setOf(weekday, 0, 6)];
    const onDate = (local: Local) => {
      const [byDay, byWeekday] = [days.has(local.day), weekdays.has(local.weekday)];
      const both = day === '*' || weekday === '*';
      return months.has(local.month) && (both ? byDay && byWeekday : byDay || byWeekday);
    };
    const isFixed = !/[*/]/.test(minute + hour);
    const due = isFixed ? this.#fixed({ minutes, hours, onDate }) : this.#following({ minutes, hours, onDate });
    return [...due].filter((at) => at > after && at <= until).sort((a, b) => a - b);
  }

  #following(rule: Rule): Set<number> {
    const matches = ({ local }: Minute) =>
      rule.hours.has(Math.floor(local.minutes / 60)) && rule.minutes.has(local.minutes % 60) && rule.onDate(local);
    return new Set(this.#minutes.filter(matches).map(({ at }) => at));
  }

  #fixed({ minutes, hours, onDate }: Rule): Set<number> {
    const due = new Set<number>();
    for (const ofDate of this.#byDate.values()) {
      if (!ofDate.slice(0, 1).every(({ local }) => onDate(local))) continue;
      for (const hour of hours) {
        for (const minute of minutes) {
          const wanted = hour * 60 + minute;
          const exact = ofDate.find((one) => one.local.minutes === wanted);
          // The first real minute behind the gap that the wanted one is in.
          const behind = ofDate.find((one) => one.local.minutes > wanted);
          const at = exact?.at ?? behind?.at;
          if (at !== undefined) due.add(at);
        }
      }
    }
    return due;
  }
}

interface Rule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly onDate: (local: Local) => boolean;
}

function setOf(field: string, min: number, max: number): Set<number> {
  const found = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [from = min, to = range === '*' ? max : from] = range === '*' ? [min, max] : range.split('-').map(Number);
    for (let value = from; value <= to; value += Number(step)) found.add(value);
  }
  return found;
}
