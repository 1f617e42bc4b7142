import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { EventFeed } from '../../../lib/events/event-feed.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { queriedItems } from '../../../lib/platform/aws/queried-items.ts';
import { aJob } from '../../lib/jobs/a-job.ts';
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

const MONTH_MS = LIMITS.events.days * 86_400_000;

/** The changes of a job that is edited so often, as records of the stream. */
function recordsOf(id: string, versions: number, from: number): DynamoDBRecord[] {
  const image = (job: Job) => marshall(job, { removeUndefinedValues: true });
  return Array.from({ length: versions }, (_, at) => {
    const [before, after] = [at, at + 1].map((version) => image(aJob({ id, version })));
    const OldImage = at === 0 ? undefined : before;
    return { dynamodb: { SequenceNumber: String(from + at), OldImage, NewImage: after } } as DynamoDBRecord;
  });
}

async function deliver(shardId: string, Records: readonly DynamoDBRecord[]): Promise<void> {
  const { handler } = await import('../../../functions/triggers/count-jobs.ts');
  await handler({ Records: [...Records], shardId }, { awsRequestId: 'invocation-1' });
}

const feedAt = (now: () => number) => new EventFeed({ ...deployment.registry, clock: { now } });

it('batches that are repeated, split, and delivered side by side give each event once, and expire after 30 days', async () => {
  const shards = ['a', 'b', 'c'].map((name) => ({ name, records: recordsOf(jobIdOfKey(name), 300, 1_000) }));
  await Promise.all(
    shards.map(async ({ name, records }) => {
      await Promise.all([deliver(name, records.slice(0, 40)), deliver(name, records.slice(0, 20))]);
      await deliver(name, records.slice(20, 290));
      await Promise.all([deliver(name, records.slice(280)), deliver(name, records)]);
    }),
  );
  const feed = feedAt(Date.now);
  const { events, more, missed } = await feed.read(await feed.since(0), 1_000, () => true);
  expect({ more, missed }).toEqual({ more: false, missed: false });
  for (const { name } of shards) {
    const sequences = events.filter(({ job_id }) => job_id === jobIdOfKey(name)).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
  }
  const packets = await Array.fromAsync(
    queriedItems(deployment.registry.table, {
      TableName: deployment.registry.registryTable,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': 'events#01' },
    }),
  );
  expect(packets.length).toBeGreaterThan(0);
  for (const { at, expires_at_epoch } of packets)
    expect(expires_at_epoch).toBe(Math.floor((Number(at) + MONTH_MS) / 1000));
  // DynamoDB removes items late: readers leave them out, and say so.
  const later = feedAt(() => Date.now() + MONTH_MS + 60_000);
  expect((await later.read(await later.since(0), 1_000, () => true)).events).toEqual([]);
  expect(await later.read({ packet: 1, taken: 0 }, 1_000, () => true)).toMatchObject({ events: [], missed: true });
});

it.each<[string, Partial<Job>, Partial<Job>, object]>([
  [
    'a question, and its answer, which lets the job continue',
    { status: 'QUEUED', parked: 'question', question: { id: 'q', state: 'open', due: '2026-11-30T00:00:00.000Z' } },
    { status: 'QUEUED', question: { id: 'q', state: 'answered', due: '2026-11-30T00:00:00.000Z' } },
    { type: 'question.answered', question: { id: 'q', state: 'answered' }, status: 'QUEUED' },
  ],
  ['a message', { messages: 1 }, { messages: 2 }, { type: 'message.accepted', question: null }],
  [
    'the deletion of output',
    { status: 'FAILED' },
    { status: 'FAILED', output_deleted: { at: '2026-11-29T00:00:00.000Z', by: 'me', attempt: 1 } },
    { type: 'output.deleted' },
  ],
  ['a lost attempt', { status: 'RUNNING' }, { status: 'QUEUED', reason: 'worker_lost' }, { type: 'attempt.ended' }],
  ['a removal', { status: 'FAILED' }, { status: 'FAILED', removing: true }, { type: 'job.removed' }],
  ['any other change', { status: 'FAILED' }, { status: 'FAILED' }, { type: 'job.updated', sequence: 2 }],
])('tells of %s', async (name, before, after, event) => {
  const id = jobIdOfKey(name);
  const images = [aJob({ ...before, id, version: 1 }), aJob({ ...after, id, version: 2 })];
  const [OldImage, NewImage] = images.map((job) => marshall(job, { removeUndefinedValues: true }));
  await deliver(name, [{ dynamodb: { SequenceNumber: '7', OldImage, NewImage } } as DynamoDBRecord]);
  const feed = feedAt(Date.now);
  const { events } = await feed.read(await feed.since(0), 1_000, ({ job_id }) => job_id === id);
  expect(events).toEqual([expect.objectContaining({ ...event, job_id: id, sequence: 2 })]);
});
