import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { randomJobId } from '../../../lib/jobs/lifecycle/job-id.ts';
import { findJob } from '../../../lib/jobs/store/find-job.ts';
import { JobLabelStore } from '../../../lib/jobs/store/job-labels.ts';
import { JobTextStore } from '../../../lib/jobs/store/job-texts.ts';
import { monthPartitions } from '../../../lib/jobs/store/month-partitions.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { removeEndedJobs } from '../../../lib/reconciler/remove-jobs.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const daysAgo = (days: number) => timestamp(deployment.clock.now() - days * 86_400_000);
const context = () => ({
  ...deployment,
  jobsTable: deployment.env.JOBS_TABLE,
  bucket: deployment.env.OUTPUT_BUCKET,
});
const LABELS = { title: 'Old', tags: ['kept'] };
const ended = async (days: number, job: Partial<Job> = {}) => {
  const texts = { prompt: 'x', project: 'p' };
  const labels = JobLabelStore.address(LABELS);
  const stored = await deployment.store({
    id: randomJobId(),
    status: 'SUCCEEDED',
    reason: 'exited',
    created_at: daysAgo(20),
    finished_at: daysAgo(days),
    texts: JobTextStore.address(texts),
    ...(labels !== undefined && { labels }),
    ...job,
  });
  await deployment.texts.put(stored, texts);
  await deployment.texts.labels.put(stored, LABELS);
  for (const key of ['attempts/000001/stdout.log', 'attempts/000001/attachments/000000', 'texts/x.json'])
    await deployment.objects.send(
      new PutObjectCommand({ Bucket: deployment.env.OUTPUT_BUCKET, Key: `jobs/${stored.id}/${key}`, Body: 'x' }),
    );
  const done = { name: 'ci', mode: 'custom', state: 'succeeded', attempts: 1 } as const;
  const at = { created_at: daysAgo(days), due_at: daysAgo(days) };
  await deployment.deployments.replace(undefined, { job_id: stored.id, attempt: 1, binding: 'b', ...done, ...at });
  return stored;
};
const objectsOf = async ({ id }: Job) =>
  (
    await deployment.objects.send(
      new ListObjectsV2Command({ Bucket: deployment.env.OUTPUT_BUCKET, Prefix: `jobs/${id}/` }),
    )
  ).KeyCount;
/** Rows of texts and of labels. */
const textsOf = async ({ id, created_at }: Job) => {
  const month = created_at.slice(0, 7);
  const kinds = [...monthPartitions('texts', month), ...monthPartitions('labels', month)];
  const partitions = kinds.map(async (kind) => {
    const { Count } = await deployment.table.send(
      new QueryCommand({
        TableName: deployment.env.REGISTRY_TABLE,
        KeyConditionExpression: 'kind = :kind AND begins_with(id, :id)',
        ExpressionAttributeValues: { ':kind': kind, ':id': id },
      }),
    );
    return Count ?? 0;
  });
  return (await Promise.all(partitions)).reduce((sum, each) => sum + each, 0);
};

test('a job that ended long ago is deleted with all its data; others stay', async () => {
  const old = [await ended(8), await ended(8, { status: 'FAILED' }), await ended(8, { status: 'CANCELLED' })];
  const kept = [
    await ended(6),
    await ended(8, { status: 'QUEUED', finished_at: undefined, reason: 'waiting_for_worker' }),
  ];
  expect(await removeEndedJobs(context(), 7)).toBe(3);
  for (const job of old) {
    expect(await deployment.jobs.get(job.id, { consistent: true })).toBeUndefined();
    expect([await objectsOf(job), await textsOf(job)]).toEqual([0, 0]);
    expect(await deployment.deployments.list(job.id)).toEqual([]);
  }
  for (const job of kept) {
    expect(await deployment.jobs.get(job.id, { consistent: true })).toBeDefined();
    expect([await objectsOf(job), await textsOf(job)]).toEqual([3, 2]);
    expect(await deployment.deployments.list(job.id)).toHaveLength(1);
  }
  expect(await removeEndedJobs(context(), 7)).toBe(0);
});

test("an interrupted removal continues, and the job can't be retried or read meanwhile", async () => {
  const job = await ended(8);
  const marked = await transition(deployment, job, { type: 'remove', endedBefore: daysAgo(7) });
  expect((await transition(deployment, marked.job ?? job, { type: 'retry' })).done).toBe(false);
  const deploy = { type: 'deploy', attempt: job.attempt, by: 'commands' } as const;
  expect((await transition(deployment, marked.job ?? job, deploy)).done).toBe(false);
  await expect(findJob(deployment.jobs, job.id)).rejects.toThrow('job_not_found');
  await removeEndedJobs(context(), 7);
  expect([await deployment.jobs.get(job.id, { consistent: true }), await objectsOf(job)]).toEqual([undefined, 0]);
});

test('a job that was retried meanwhile, or has ended again, stays', async () => {
  const job = await ended(8);
  await transition(deployment, job, { type: 'retry' });
  expect((await transition(deployment, job, { type: 'remove', endedBefore: daysAgo(7) })).done).toBe(false);
  const endedAgain = await ended(6);
  expect((await transition(deployment, endedAgain, { type: 'remove', endedBefore: daysAgo(7) })).done).toBe(false);
});
