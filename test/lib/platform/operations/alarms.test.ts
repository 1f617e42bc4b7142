import { expect, it } from 'vitest';
import { ALARMS } from '../../../../lib/platform/operations/alarms.ts';

/**
 * From how much on, in how many periods in a row of how many minutes, and how the values of a period become one: as people
 * decided it once, and the runbook relies on it. The average of errors is 1 only if each run failed, also the retries.
 */
const GOES_OFF: Record<string, readonly [limit: number, times: number, minutes: number, statistic: string]> = {
  'oldest-ready-job': [1_800, 5, 1, 'Maximum'],
  'watch-silent': [1, 5, 1, 'Average'],
  'launch-failures': [3, 1, 15, 'Sum'],
  'lease-losses': [3, 1, 15, 'Sum'],
  'account-not-linked': [1, 2, 5, 'Maximum'],
  'server-errors': [5, 1, 5, 'Sum'],
  'functions-throttled': [1, 2, 5, 'Sum'],
  'storage-throttled': [100, 1, 5, 'Sum'],
  'stream-age': [300_000, 3, 1, 'Maximum'],
  'permits-given-up': [1, 1, 5, 'Sum'],
  'damaged-items': [1, 1, 5, 'Sum'],
  'calls-given-up': [1, 1, 5, 'Maximum'],
};

it('each alarm goes off at the threshold that its sentence names', () => {
  const found = ALARMS.map(({ id, limit, times, minutes, statistic }) => [id, [limit, times, minutes, statistic]]);
  expect(Object.fromEntries(found)).toEqual(GOES_OFF);
});
