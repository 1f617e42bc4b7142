import { expect, test } from 'vitest';
import { warmWorkersAt, warmWorkersSchema } from '../../../../lib/platform/config/warm-workers.ts';

const at = (setting: object, time: string) => warmWorkersAt(warmWorkersSchema.parse(setting), Date.parse(time));

test('no worker is kept unless a number is set, and then always', () => {
  expect(at({}, '2026-11-23T12:00:00Z')).toBe(0);
  for (const time of ['2026-11-23T00:00:00Z', '2026-11-29T23:59:59Z']) expect(at({ count: 2 }, time)).toBe(2);
});

test.each([
  ['before the first minute', '2026-11-23T07:59:59Z', 0],
  ['in the first minute', '2026-11-23T08:00:00Z', 3],
  ['in the last minute', '2026-11-23T17:59:59Z', 3],
  ['after the last minute', '2026-11-23T18:00:00Z', 0],
  ['on another day', '2026-11-24T12:00:00Z', 0],
])('on Mondays from 08:00 to 18:00: %s', (_, time, expected) => {
  expect(at({ count: 3, days: ['mon'], from: '08:00', to: '18:00' }, time)).toBe(expected);
});

test.each([
  ['Sunday evening', '2026-11-22T22:00:00Z', 1],
  ['the night after it', '2026-11-23T05:59:00Z', 1],
  ['Monday morning', '2026-11-23T06:00:00Z', 0],
  ['Monday evening', '2026-11-23T22:00:00Z', 0],
  ['the night before Sunday', '2026-11-22T01:00:00Z', 0],
])('on Sundays from 22:00 to 06:00 of the next day: %s', (_, time, expected) => {
  expect(at({ count: 1, days: ['sun'], from: '22:00', to: '06:00' }, time)).toBe(expected);
});

test('the hours are those of the time zone, in summer and in winter', () => {
  const setting = { count: 1, from: '08:00', to: '09:00', timezone: 'Europe/Berlin' };
  expect(['06:30', '07:30'].map((time) => at(setting, `2026-07-01T${time}:00Z`))).toEqual([1, 0]);
  expect(['06:30', '07:30'].map((time) => at(setting, `2026-12-01T${time}:00Z`))).toEqual([0, 1]);
});
