import { expect, it } from 'vitest';
import { ALARMS } from '../../../../lib/platform/operations/alarms.ts';

/** From how much on, in how many periods in a row of how many minutes: as people decided it once, and the runbook relies on it. */
const GOES_OFF: Record<string, readonly [limit: number, times: number, minutes: number]> = {
  'oldest-ready-job': [1_800, 5, 1],
  'watch-silent': [1, 5, 1],
  'launch-failures': [3, 1, 15],
  'lease-losses': [3, 1, 15],
  'account-not-linked': [1, 2, 5],
  'server-errors': [5, 1, 5],
  'functions-throttled': [1, 2, 5],
  'storage-throttled': [100, 1, 5],
  'stream-age': [300_000, 3, 1],
  'permits-given-up': [1, 1, 5],
  'damaged-items': [1, 1, 5],
  'calls-given-up': [1, 1, 5],
};

it('each alarm goes off at the threshold that its sentence names', () => {
  const found = ALARMS.map(({ id, limit, times, minutes }) => [id, [limit, times, minutes]]);
  expect(Object.fromEntries(found)).toEqual(GOES_OFF);
});
