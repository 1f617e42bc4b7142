import type { Harmless } from './harmless.ts';

const OF_A_LATER_SCHEMA =
  'an item of a later schema has no readable status or lease, so it is skipped; the check is for the compiler only';

/** Mutants of the reconciler, the counts and the scaling of workers that change nothing of importance. */
export const RECONCILER: readonly Harmless[] = [
  { file: 'lib/reconciler/reconcile-jobs.ts', find: "job === 'newer'", replace: 'false', reason: OF_A_LATER_SCHEMA },
  { file: 'lib/reconciler/remove-jobs.ts', find: "job === 'newer'", replace: 'false', reason: OF_A_LATER_SCHEMA },
  { file: 'lib/reconciler/reconcile-jobs.ts', find: "job !== 'newer'", replace: 'true', reason: OF_A_LATER_SCHEMA },
  {
    file: 'lib/reconciler/kept-jobs.ts',
    find: "owner === 'newer'",
    replace: 'false',
    reason: 'an owner of a later schema has no readable end, so its folder counts as used all the same',
  },
  {
    file: 'lib/reconciler/after-attempt.ts',
    find: "job !== 'newer'",
    replace: 'true',
    reason:
      'an item of a later schema has no readable status or mark, so it is left alone; the check is for the compiler',
  },
  ...['job.thread_id !== undefined', 'job.turn !== undefined'].map((find) => ({
    file: 'lib/reconciler/remove-jobs.ts',
    in: 'removeEndedJob',
    find,
    replace: 'true',
    reason: 'no turn is recorded without both, so there is no row to delete; the check is for the compiler only',
  })),
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: "status !== 'SUCCEEDED'",
    replace: 'true',
    reason: 'the index by status lists no job that succeeded, so one more query finds nothing',
  },
  {
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: '<=',
    replace: '<',
    reason: 'what meets the boundary exactly has its turn a round later',
  },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: '>=',
    replace: '>',
    reason: 'one job more in a run is one job fewer in the next',
  },
  {
    file: 'lib/stats/counting/change-metrics.ts',
    find: '>',
    replace: '>=',
    in: 'claimableSince',
    reason: 'of two times that are equal, either is the same text',
  },
  {
    file: 'lib/stats/counting/log-buckets.ts',
    find: '<',
    replace: '<=',
    in: 'bucketOf',
    reason: 'the logarithm of one millisecond is 0, the same bucket',
  },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: 'kept.size > SWEEP.kept.jobs',
    replace: 'false',
    reason: 'it bounds the memory of a sweep that meets 200,000 jobs which stay',
  },
  {
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: '100',
    replace: '1000',
    reason: 'a request asks for at most 100 keys however many are checked at once',
  },
  {
    file: 'lib/workers/scaling/launches.ts',
    find: '>=',
    replace: '>',
    reason: 'a launch of exactly that millisecond may be late or not',
  },
  {
    file: 'lib/stats/counting/stats-store.ts',
    in: 'apply',
    find: 'key.kind === STATS_KINDS.project',
    replace: 'true',
    reason: 'the items of days and models have no time of a change, so they say nothing of how hot a project is',
  },
  {
    file: 'lib/stats/counting/stats-store.ts',
    in: 'apply',
    find: 'item !== undefined',
    replace: 'true',
    reason: 'what is not there says nothing of how hot a project is; the check is for the compiler only',
  },
  ...['now !== undefined', 'opened !== undefined'].map((find) => ({
    file: 'lib/stats/counting/counted-sums.ts',
    in: 'outdated',
    find,
    replace: 'true',
    reason: 'a time that is not known is before no other; the check is for the compiler only',
  })),
  {
    file: 'lib/stats/counting/counted-sums.ts',
    in: 'add',
    find: '!(error instanceof ConditionalCheckFailedException)',
    replace: 'false',
    reason: 'no other error of the table carries an item; the check is for the compiler only',
  },
  {
    file: 'lib/stats/counting/counted-sums.ts',
    find: 'opened === undefined',
    replace: 'false',
    reason: 'a name that ends with NaN shows no time either',
  },
  {
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: 'inOthers.length === 0',
    replace: 'false',
    reason: 'reading the items of no jobs sends no request',
  },
  {
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: '<',
    replace: '<=',
    in: 'endLost',
    reason: 'after the last jobs, one more turn has none to end',
  },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: '200_000',
    replace: '2000000',
    reason: 'it bounds the memory of a sweep that meets 200,000 jobs which stay',
  },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: '>',
    replace: '>=',
    in: 'removableJobs',
    reason: 'it bounds the memory of a sweep that meets 200,000 jobs which stay',
  },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: 'isTerminal(status)',
    replace: 'true',
    reason: 'only a job that has ended has the time of its end',
  },
  {
    file: 'lib/workers/live-workers.ts',
    find: "['idle', 'outdated', 'retired', 'stopped']",
    replace: "['outdated', 'retired', 'stopped']",
    reason: 'a code that is not listed is read as one of a later version, unchanged',
  },
];
