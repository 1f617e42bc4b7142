import { expect, it } from 'vitest';
import { lostJobs, metricsOf, type StreamedJob } from '../../../../lib/stats/counting/change-metrics.ts';
import { aJob, aRunningJob } from '../../jobs/a-job.ts';

const at = (seconds: number) => new Date(Date.parse('2026-11-20T10:00:00.000Z') + 1_000 * seconds).toISOString();
const queued = aJob({ updated_at: at(0) });
const running = aRunningJob({ started_at: at(7), updated_at: at(7) });
const ended = (status: StreamedJob['status']) => aRunningJob({ status, started_at: at(7), updated_at: at(20) });
const NOTHING = { JobsSucceeded: 0, JobsFailed: 0, JobsCancelled: 0, QueueWait: [], RunTime: [], LeaseLosses: 0 };

it.each<[name: string, before: StreamedJob | undefined, after: StreamedJob | undefined, metrics: object]>([
  ['a creation', undefined, queued, {}],
  ['a removal', ended('SUCCEEDED'), undefined, {}],
  ['a change within a state', running, aRunningJob({ updated_at: at(9) }), {}],
  ['a draft that is queued', aJob({ status: 'DRAFT' }), queued, {}],
  ['a start', queued, running, { QueueWait: [7] }],
  ['the start of a job that came due later', { ...queued, due_at: at(5) }, running, { QueueWait: [2] }],
  ['the start of a job that was due before', { ...queued, due_at: at(-5) }, running, { QueueWait: [7] }],
  ['a start by a clock that is behind', { ...queued, updated_at: at(8) }, running, { QueueWait: [0] }],
  ['a start from a state of a later version', { ...queued, status: 'PAUSED' as 'QUEUED' }, running, {}],
  ['a success', running, ended('SUCCEEDED'), { JobsSucceeded: 1, RunTime: [13] }],
  ['a failure', running, ended('FAILED'), { JobsFailed: 1, RunTime: [13] }],
  ['a cancellation', running, ended('CANCELLED'), { JobsCancelled: 1, RunTime: [13] }],
  ['a cancellation in the queue', queued, ended('CANCELLED'), { JobsCancelled: 1 }],
  ['a handing back', running, { ...queued, updated_at: at(9) }, { RunTime: [2] }],
  ['a loss', running, { ...queued, losses: 1, updated_at: at(9) }, { RunTime: [2], LeaseLosses: 1 }],
  [
    'a loss that ends it',
    { ...running, losses: 2 },
    { ...ended('FAILED'), losses: 3 },
    { JobsFailed: 1, RunTime: [13], LeaseLosses: 1 },
  ],
  ['a change after a loss', { ...running, losses: 1 }, { ...running, losses: 1 }, {}],
  ['a retry that forgets losses', { ...ended('FAILED'), losses: 3 }, { ...queued, losses: 4 }, {}],
])('the metrics of %s', (_name, before, after, metrics) => {
  expect(metricsOf([{ before, after }])).toEqual({ ...NOTHING, ...metrics });
});

it('several changes are counted together, and the jobs that lost a worker are those before', () => {
  const lost = { before: running, after: { ...queued, losses: 1 } };
  const success = { before: running, after: ended('SUCCEEDED') };
  expect(metricsOf([success, lost, success])).toMatchObject({ JobsSucceeded: 2, LeaseLosses: 1 });
  expect(lostJobs([success, lost])).toEqual([running]);
});
