import { type DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { type RemovalContext, removeEndedJobs } from '../../../lib/reconciler/remove-jobs.ts';
import { printedBy } from '../../local-run/captured-lines.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../jobs/a-job.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const daysAgo = (days: number) => timestamp(NOW - days * 86_400_000);
const ENDED = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at: daysAgo(8) } as const;

/**
 * A sweep over as many listed jobs, whose items are these.
 * @param options.msPerJob how long the read of one takes
 * @param options.others how the index lists these jobs by the states that are not SUCCEEDED
 */
async function sweep(
  count: number,
  itemOf: (id: string) => Job | undefined,
  {
    msPerJob = 0,
    others = {},
  }: { msPerJob?: number; others?: Record<string, { id: string; finished_at?: string }[]> } = {},
) {
  const ids = Array.from({ length: count }, (_, n) => `job_${String(n).padStart(6, '0')}`);
  const listed = ids.map((id, n) => ({ id, created_at: timestamp(NOW - 20 * 86_400_000 + n) }));
  let now = NOW;
  let read = 0;
  const find = async (id: string) => {
    read += 1;
    now += msPerJob;
    return itemOf(id);
  };
  const nothing = async () => undefined;
  const send = async ({ input }: QueryCommand) => {
    const key = String(input.ExpressionAttributeValues?.[':key']);
    if (key === 'jobs#0') return { Items: listed };
    // One a page.
    const at = Number(input.ExclusiveStartKey?.at ?? 0);
    const [job, ...more] = (others[key] ?? []).slice(at);
    const Items = job === undefined ? [] : [{ ...job, created_at: timestamp(NOW - 20 * 86_400_000 + at) }];
    return { Items, ...(more.length > 0 && { LastEvaluatedKey: { at: at + 1 } }) };
  };
  const context: unknown = {
    clock: { now: () => now },
    random: () => 0,
    table: { send },
    jobs: {
      find,
      findAll: async (asked: readonly string[]) => new Map(asked.map((id) => [id, itemOf(id)])),
      apply: async (_known: Job, job: Job) => ({ applied: true, job }),
      remove: nothing,
    },
    objects: { send: async () => ({}) },
    texts: { removeAll: nothing },
    deployments: { removeAll: nothing },
    threads: { turns: async (thread: string) => [{ turn: 1, jobId: thread }], forks: async () => [], remove: nothing },
    trees: { forget: nothing },
    dispatchQueues: { send: nothing },
  };
  return { removed: await removeEndedJobs(context as RemovalContext, 7), read };
}

it('a sweep removes 1,500 jobs at most', async () => {
  expect(await sweep(1_600, (id) => aJob({ id, ...ENDED }))).toEqual({ removed: 1_500, read: 1_500 });
});

it('a sweep reads 20,000 others at most, beside those that it keeps', async () => {
  expect(await sweep(20_100, () => undefined)).toEqual({ removed: 0, read: 20_000 });
  const runs = { status: 'RUNNING', reason: 'running' } as const;
  const itemOf = (id: string) => {
    if (id < 'job_020005') return aJob({ id, ...ENDED, thread_id: `thread of ${id}`, turn: 2 });
    return aJob({ id, ...(id.startsWith('thread') ? runs : ENDED) });
  };
  expect(await sweep(20_010, itemOf)).toEqual({ removed: 5, read: 20_010 });
});

it('a sweep does not read the jobs that the index shows to be open, or to have ended since', async () => {
  const others = {
    'FAILED#0': [
      { id: 'job_000000', finished_at: daysAgo(8) },
      { id: 'job_000001', finished_at: daysAgo(7) },
      { id: 'job_000002', finished_at: daysAgo(6) },
    ],
    'CANCELLED#0': [{ id: 'job_000003', finished_at: daysAgo(6) }],
    'DRAFT#0': [{ id: 'job_000004' }],
  };
  expect(await sweep(6, (id) => aJob({ id, ...ENDED }), { others })).toEqual({ removed: 2, read: 2 });
});

it('a sweep ends after ten minutes', async () => {
  expect(await sweep(1_000, () => undefined, { msPerJob: 1_000 })).toEqual({ removed: 0, read: 601 });
});

/** A deployment with a thread of two turns that ended long ago. */
async function withThread() {
  const deployment = quietDeployment();
  const before = timestamp(deployment.clock.now() - 8 * 86_400_000);
  const thread = { ...ENDED, thread_id: 'job_first', created_at: before, finished_at: before, updated_at: before };
  await deployment.store({ id: 'job_first', ...thread, turn: 1 });
  await deployment.store({ id: 'job_second', ...thread, turn: 2, continues: 'job_first' });
  await deployment.threads.put('job_first', { turn: 2, jobId: 'job_second' });
  const context = { ...deployment, jobsTable: deployment.env.JOBS_TABLE, bucket: deployment.env.OUTPUT_BUCKET };
  return { deployment, context };
}

it('the jobs of a thread that is over are removed with the record of their turns', async () => {
  const { deployment, context } = await withThread();
  expect(await deployment.threads.turns('job_first')).toHaveLength(2);
  expect(await removeEndedJobs(context, 7)).toBe(2);
  expect(await deployment.threads.turns('job_first')).toEqual([{ turn: 1, jobId: 'job_first' }]);
});

it('a job stays whose output cannot be deleted, and however much there is, all of it is deleted', async () => {
  const { deployment, context } = await withThread();
  const left = new Map([
    ['job_first', 2],
    ['job_second', 3],
  ]);
  const refused = new Set<string>();
  const send = async (command: unknown) => {
    const { Prefix = '' } = command instanceof ListObjectsV2Command ? command.input : {};
    const id = Prefix.split('/')[1] ?? '';
    if (command instanceof ListObjectsV2Command)
      return (left.get(id) ?? 0) > 0 ? { Contents: [{ Key: `${Prefix}${left.get(id)}` }] } : {};
    const { Objects = [] } = (command as DeleteObjectsCommand).input.Delete ?? {};
    const [, of = ''] = Objects[0]?.Key?.split('/') ?? [];
    // Only once: a removal that passes over this would end.
    if (of === 'job_second' && !refused.has(of)) {
      refused.add(of);
      return { Errors: [{ Key: Objects[0]?.Key, Code: 'AccessDenied', Message: 'no' }] };
    }
    left.set(of, (left.get(of) ?? 0) - 1);
    return {};
  };
  const objects = Object.assign(Object.create(deployment.objects), { send });
  const { lines, result } = await printedBy(async () => await removeEndedJobs({ ...context, objects }, 7));
  expect(result).toBe(1);
  expect(Object.fromEntries(left)).toEqual({ job_first: 0, job_second: 3 });
  expect(lines.flatMap(({ item }) => item ?? [])).toEqual(['job job_second']);
  expect(await deployment.jobs.find('job_second')).toMatchObject({ removing: true });
});
