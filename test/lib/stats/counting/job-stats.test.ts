import { expect, it } from 'vitest';
import { shownTokens } from '../../../../lib/counters/stats-items.ts';
import { bucketOf } from '../../../../lib/stats/counting/log-buckets.ts';
import { endsOf, statsChanges } from '../../../../lib/stats/counting/stats-store.ts';
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
  expect(endsOf(aJob({ status: 'CANCELLED', ...times('00', '35', '30') }), 1)).toEqual(ends);
  // Its first round started before it was queued for the second.
  expect(endsOf(aJob({ status: 'CANCELLED', ...times('20', '05', '30') }), 1)).toEqual(ends);
});

const USAGE = { input_tokens: 5, cached_input_tokens: 4, output_tokens: 3, reasoning_output_tokens: 0, cost_usd: 0.25 };
const TOKENS = { t_in: 5, t_cached: 4, t_out: 3, t_cost: 250_000 };
const project = (add: object, activeAt?: string) => ({
  ...{ kind: 'project-figures', id: 'local_project', add },
  ...(activeAt !== undefined && { activeAt }),
});
const AT = '2026-11-20T10:00:00.000Z';
const ran = { status: 'SUCCEEDED', updated_at: '2026-11-21T10:00:00.000Z', usage: USAGE } as const;
const onDay = (add: object) => ({ kind: 'day-figures', id: '2026-11-21', add });
const ofModel = (id: string, add: object) => ({ kind: 'model-figures', id, add });

it.each([
  ['nothing', undefined, undefined, []],
  ['a creation', undefined, aJob(), [project({ n_QUEUED: 1 }, AT)]],
  ['a heartbeat', aJob(), aJob(), []],
  ['a start', aJob(), aJob({ status: 'RUNNING' }), [project({ n_QUEUED: -1, n_RUNNING: 1 }, AT)]],
  ['a round that leads back to the same number', aJob(), aJob({ status: 'QUEUED', updated_at: 'later' }), []],
  ['a removal', aJob({ ...ran, ...times('00', '05', '30') }), undefined, [project({ n_SUCCEEDED: -1 })]],
  [
    'an edit that moves a draft',
    aJob({ project_id: 'other', status: 'DRAFT' }),
    aJob({ status: 'DRAFT' }),
    [{ kind: 'project-figures', id: 'other', add: { n_DRAFT: -1 } }, project({ n_DRAFT: 1 })],
  ],
  [
    'tokens that the model of a profile used',
    aJob({ ...ran, usage: undefined }),
    aJob({ ...ran }),
    [project(TOKENS), onDay(TOKENS), ofModel('(default of practice)', TOKENS)],
  ],
  [
    'tokens of a named model, to those of earlier attempts',
    aJob({ ...ran, model_used: 'm' }),
    aJob({ ...ran, model_used: 'm', usage: { ...USAGE, cost_usd: undefined }, earlier_usage: USAGE }),
    [
      project({ t_in: 5, t_cached: 4, t_out: 3 }),
      onDay({ t_in: 5, t_cached: 4, t_out: 3 }),
      ofModel('m', { t_in: 5, t_cached: 4, t_out: 3 }),
    ],
  ],
  [
    'an end, which is counted on its own day',
    aJob({ status: 'RUNNING', ...times('00', '05', '30') }),
    aJob({ ...ran, ...times('00', '05', '30'), usage: undefined }),
    [
      project({ n_RUNNING: -1, n_SUCCEEDED: 1 }, ran.updated_at),
      { kind: 'day-figures', id: '2026-11-20', add: { n_SUCCEEDED: 1, w_24: 1, d_29: 1 } },
    ],
  ],
  [
    'a retry, which takes the end back',
    aJob({ status: 'FAILED', ...times('00', '05', '30') }),
    aJob({ status: 'QUEUED' }),
    [
      project({ n_FAILED: -1, n_QUEUED: 1 }, AT),
      { kind: 'day-figures', id: '2026-11-20', add: { n_FAILED: -1, w_24: -1, d_29: -1 } },
    ],
  ],
])('what %s adds', (_name, before, after, changes) => {
  expect(statsChanges(before, after)).toEqual(changes);
});

it('tokens are shown with money in dollars, and as zero where there are none', () => {
  const none = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0, cost_usd: 0 };
  expect(shownTokens({ ...TOKENS, t_reasoning: '7' })).toEqual(USAGE);
  expect(shownTokens({})).toEqual(none);
});
