import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AuditLog } from '../../../lib/access/audit-log.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { StatsStore } from '../../../lib/stats/counting/stats-store.ts';
import { aJob, aRunningJob, followUpOf, startedBy } from '../../lib/jobs/a-job.ts';
import { metricsIn, printedBy } from '../../local-run/captured-lines.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
  for (const [name, value] of Object.entries(deployment.variables)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await deployment.stop();
});

let sequence = 100;
const shardId = 'shardId-00000001763712000000-0000000a';

function record(before: Job | undefined, after: Job | undefined): DynamoDBRecord {
  const image = (job: Job | undefined) => job && marshall(job, { removeUndefinedValues: true });
  sequence += 1;
  return {
    dynamodb: { SequenceNumber: String(sequence), OldImage: image(before), NewImage: image(after) },
  } as DynamoDBRecord;
}

async function count(...Records: DynamoDBRecord[]) {
  const { handler } = await import('../../../functions/triggers/count-jobs.ts');
  return (await printedBy(async () => await handler({ Records, shardId }, { awsRequestId: 'invocation-1' }))).lines;
}

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 10, 0, second)).toISOString();

it('jobs by outcome, waits and run times are reported once the batch is counted', async () => {
  const waiting = aJob({ queued_at: at(0), updated_at: at(0) });
  const running = aRunningJob({ queued_at: at(0), started_at: at(4), updated_at: at(4) });
  const retried = aJob({ attempt: 1, queued_at: at(10), updated_at: at(10), due_at: at(12), reason: 'retry_backoff' });
  const again = aRunningJob({ attempt: 2, queued_at: at(10), started_at: at(13), updated_at: at(13) });
  const ended = (status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED') =>
    aJob({ status, attempt: 2, started_at: at(13), finished_at: at(33), updated_at: at(33) });
  const lines = await count(
    record(undefined, waiting),
    record(waiting, running),
    // A heartbeat.
    record(running, { ...running, lease_until: at(50) }),
    record(running, retried),
    record(retried, again),
    record(again, ended('SUCCEEDED')),
    record(again, ended('FAILED')),
    record(waiting, ended('CANCELLED')),
    // It was deleted for its age.
    record(ended('SUCCEEDED'), undefined),
  );
  expect(metricsIn(lines)).toEqual({
    JobsSucceeded: [1],
    JobsFailed: [1],
    JobsCancelled: [1],
    // From when it came due, not from when its round began.
    QueueWait: [4, 1],
    RunTime: [6, 20, 20],
  });
  expect(lines).toHaveLength(1);
});

it("a running job that lost its worker is reported, with the worker's id", async () => {
  const running = aRunningJob({ id: jobIdOfKey('lost'), losses: 1 });
  const requeued = aJob({ id: running.id, attempt: 1, losses: 2, reason: 'worker_lost' });
  const lines = await count(record(running, requeued), record(running, { ...requeued, status: 'FAILED' }));
  expect(metricsIn(lines)).toMatchObject({ LeaseLosses: [2], JobsFailed: [1] });
  expect(lines.filter(({ level }) => level === 'WARN')).toEqual([
    expect.objectContaining({ job_id: running.id, attempt: 1, worker_id: 'worker-1', losses: 2 }),
    expect.objectContaining({ job_id: running.id }),
  ]);
  // A new round forgets the losses of the one before.
  expect(await count(record({ ...requeued, status: 'FAILED' }, aJob({ id: running.id })))).toEqual([]);
});

it('a job that another one has started is recorded once, also if the batch is repeated', async () => {
  const times = { created_at: at(7), updated_at: at(7) };
  const ofParent = { ...startedBy('job_parent'), ...times };
  const child = aJob({ id: jobIdOfKey('child'), ...ofParent });
  const followUp = aJob({ id: jobIdOfKey('follow-up'), ...ofParent, ...followUpOf(child.id) });
  const records = [record(undefined, child), record(child, aRunningJob({ ...child, status: 'RUNNING' }))];
  await count(...records, record(undefined, followUp), record(undefined, aJob(times)));
  await count(...records);
  const audit = new AuditLog({ ...deployment.registry, clock: { now: () => Date.parse(at(9)) }, log: console });
  const { items } = await audit.list({ limit: 10 });
  expect(items).toEqual([
    {
      id: `${at(7)}#${child.id}`,
      at: at(7),
      actor: 'job:job_parent',
      action: 'jobs.delegate',
      target: { id: child.id },
      source_ip: null,
      status: 201,
      request_id: child.id,
    },
  ]);
});

it('no usage that a CLI reports, however large, stops the counting', async () => {
  const most = Number.MAX_SAFE_INTEGER;
  const usage = { input_tokens: most, cached_input_tokens: 0.125, output_tokens: 7, reasoning_output_tokens: 0 };
  const ended = (key: string, more: Partial<Job>) =>
    aJob({ id: jobIdOfKey(key), project_id: 'large', status: 'FAILED', attempt: 2, finished_at: at(33), ...more });
  await count(
    record(undefined, ended('tokens', { usage, earlier_usage: usage })),
    record(undefined, ended('more tokens', { usage })),
    record(undefined, ended('dollars', { usage: { ...usage, cost_usd: most } })),
  );
  const { items } = await new StatsStore(deployment.registry).list('project-figures', { from: 'large', limit: 1 });
  expect(items).toEqual([expect.objectContaining({ id: 'large', n_FAILED: 3, t_out: 28, t_cost: 1e12 })]);
});

it("a batch that can't be counted is reported with its position in the stream, without metrics", async () => {
  const broken = record(aRunningJob(), aJob({ updated_at: 7 as unknown as string }));
  const { lines } = await printedBy(async () => {
    const { handler } = await import('../../../functions/triggers/count-jobs.ts');
    const event = { Records: [record(aJob(), aRunningJob()), broken], shardId };
    await expect(handler(event, { awsRequestId: 'invocation-2' })).rejects.toThrow();
  });
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'ERROR',
      service: 'promptq-count-jobs',
      request_id: 'invocation-2',
      shard: shardId,
      from: String(sequence),
      error: expect.objectContaining({ name: 'ZodError' }),
    }),
  ]);
});
