import { describe, expect, it } from 'vitest';
import { dueByHour } from '../../../lib/automations/due-by-hour.ts';
import { cronFault, dueAfter, intervalFault, localTime, zoneNamed } from '../../../lib/automations/schedule.ts';
import { SeededRandom } from '../../simulation/seeded-random.ts';
import { ScheduleJudge, transitionsOf } from './schedule-judge.ts';

const ZONES = [
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Santiago',
  'America/Havana',
  'Europe/Berlin',
  'Europe/London',
  'Atlantic/Azores',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
];
const CASES = 10_000;
/** Due instants after the one that a case begins with. */
const COMPARED = 20;

describe('due instants', () => {
  it('are those of the stated rule around every change of the clocks from 2024 to 2030', { timeout: 120_000 }, () => {
    const random = new SeededRandom(47);
    const changes = ZONES.flatMap((zone) => transitionsOf(zone, 2024, 2030).map((at) => ({ zone, at })));
    expect(changes.length).toBeGreaterThan(150);
    const perChange = Math.ceil(CASES / changes.length);
    const differences: string[] = [];
    let cases = 0;
    for (const { zone, at } of changes) {
      const judge = new ScheduleJudge(zone, at);
      for (let n = 0; n < perChange; n += 1) {
        const expression = judge.expressionNear(random);
        const after = at + random.integer(-26 * 60, 4 * 60) * 60_000 + random.pick([0, 0, 1, 59_999]);
        const until = at + 28 * 3_600_000;
        const expected = judge.dueBetween(expression, after, until).slice(0, COMPARED);
        const found = dueAfter({ cron: expression, timezone: zone, anchor: '' }, after, COMPARED, until);
        cases += 1;
        if (JSON.stringify(found) !== JSON.stringify(expected))
          differences.push(`${expression} ${zone} after ${new Date(after).toISOString()}: ${found} ≠ ${expected}`);
      }
    }
    expect(cases).toBeGreaterThanOrEqual(CASES);
    expect(differences).toEqual([]);
  });

  it('by the hour are as many as one by one, around changes of the clocks, too', () => {
    const random = new SeededRandom(48);
    const expressions = [
      '*/7 * * * *',
      '0,30 * * * *',
      '15,45 1,2,3 * * *',
      '0,30 2 * * *',
      '*/20 0-3 * * SUN',
      '@hourly',
    ];
    for (const zone of ['Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kolkata'])
      for (const change of [...transitionsOf(zone, 2026, 2026), Date.UTC(2026, 0, 5)]) {
        const from = change - random.integer(52, 58) * 1_800_000;
        const to = change + 4 * 3_600_000 + 60_000;
        for (const cron of expressions) {
          const schedule = { cron, timezone: zone, anchor: '' };
          const each = dueAfter(schedule, from - 1, 1_000, to - 1);
          const hours = dueByHour(schedule, from, to);
          // Each hour begins with one of them, and has those before the next.
          const counts = hours.map(({ at }, n) => {
            const next = hours[n + 1]?.at ?? to;
            return { at, count: each.filter((one) => one >= at && one < next).length };
          });
          expect(hours, `${cron} ${zone}`).toEqual(counts);
          expect(hours[0]?.at).toBe(each[0]);
        }
      }
  });

  it('of an interval count real time from its anchor', () => {
    const schedule = { every: '90m', timezone: 'Europe/Berlin', anchor: '2026-03-29T00:00:00.000Z' };
    const due = dueAfter(schedule, Date.parse('2026-03-29T01:30:00.000Z'), 2).map((at) => new Date(at).toISOString());
    expect(due).toEqual(['2026-03-29T03:00:00.000Z', '2026-03-29T04:30:00.000Z']);
  });
});

describe('a schedule', () => {
  it.each([
    ['0 0 3 * * *', 'five fields'],
    ['2026-12-24T00:00:00', 'five fields'],
    ['0 3 * *', 'five fields'],
    ['@reboot', 'nicknames'],
    ['0 0 31 2 *', 'never due'],
    ['0 0 15W * *', 'W is not supported'],
    ['0 0 LW * *', 'W is not supported'],
    ['0 0 29 2 +1#1', 'five fields'],
    ['0 0 ? * *', 'five fields'],
    ['0 25 * * *', ''],
    ['5/10 * * * *', ''],
  ])('refuses %s', (expression, why) => {
    expect(cronFault(expression, 'UTC')).toContain(why);
  });

  it.each(['0 3 * * *', '@daily', '*/15 8-17 * * MON-FRI', '0 9 L * *', '0 9 * * MON#1', '0 9 * * 5L'])(
    'takes %s',
    (expression) => {
      expect(cronFault(expression, 'Europe/Berlin')).toBeUndefined();
    },
  );

  it('takes zones of the IANA database in one spelling', () => {
    expect(zoneNamed('europe/berlin')).toEqual({ zone: 'Europe/Berlin' });
    expect(zoneNamed('utc')).toEqual({ zone: 'UTC' });
    for (const name of ['EST', '+02:00', 'Mars/Olympus', '']) expect(zoneNamed(name)).toHaveProperty('fault');
  });

  it('takes intervals from a minute to a year', () => {
    for (const every of ['1m', '36h', '366d']) expect(intervalFault(every)).toBeUndefined();
    for (const every of ['0m', '30s', '1.5h', '367d', 'm', '-1m']) expect(intervalFault(every)).toBeDefined();
  });

  it('shows an instant in its zone', () => {
    expect(localTime(Date.parse('2026-03-08T07:00:00Z'), 'America/New_York')).toBe('2026-03-08T03:00:00-04:00');
    expect(localTime(Date.parse('2026-03-08T07:00:00Z'), 'UTC')).toBe('2026-03-08T07:00:00+00:00');
  });
});
