import { type DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { removeEndedJobs } from '../../../lib/reconciler/remove-jobs.ts';
import { printedBy } from '../../local-run/captured-lines.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const daysAgo = (days: number) => timestamp(NOW - days * 86_400_000);
const ENDED = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at: daysAgo(8) } as const;

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
