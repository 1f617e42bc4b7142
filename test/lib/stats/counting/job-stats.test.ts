import { expect, it } from 'vitest';
import { endsOf } from '../../../../lib/stats/counting/job-stats.ts';
import { bucketOf } from '../../../../lib/stats/counting/log-buckets.ts';
import { aJob } from '../../jobs/a-job.ts';

const times = (queued_at: string, started_at: string | undefined, finished_at: string) => ({
  queued_at: `2026-11-20T10:00:${queued_at}.000Z`,
  ...(started_at !== undefined && { started_at: `2026-11-20T10:00:${started_at}.000Z` }),
  finished_at: `2026-11-20T10:00:${finished_at}.000Z`,
});

it('a job that ran adds its end, its wait and its duration to the day of its end', () => {
  expect(endsOf(aJob({ status: 'SUCCEEDED', ...times('00', '05', '30') }), 1)).toEqual([
    {
      kind: 'day-figures',
      id: '2026-11-20',
      add: { n_SUCCEEDED: 1, [`w_${bucketOf(5_000)}`]: 1, [`d_${bucketOf(25_000)}`]: 1 },
    },
  ]);
});

it('a job that was cancelled in the queue adds no wait, whether it had run before or not', () => {
  const ends = [{ kind: 'day-figures', id: '2026-11-20', add: { n_CANCELLED: 1 } }];
  expect(endsOf(aJob({ status: 'CANCELLED', ...times('00', undefined, '30') }), 1)).toEqual(ends);
  // Its first round started before it was queued for the second.
  expect(endsOf(aJob({ status: 'CANCELLED', ...times('20', '05', '30') }), 1)).toEqual(ends);
});
