import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { EventFeed } from '../../../lib/events/event-feed.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { eventRow } from '../../../lib/platform/event-rows.ts';
import { aJob } from '../../lib/jobs/a-job.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
  for (const [name, value] of Object.entries(deployment.variables)) vi.stubEnv(name, value);
  await deployment.profiles.put({ name: 'codex', agent: 'codex' });
  await deployment.profiles.put({ name: 'codex-too', agent: 'codex' });
  await deployment.profiles.put({ name: 'claude', agent: 'claude' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await deployment.stop();
});

let sequence = 100;
const nextSequence = () => {
  sequence += 1;
  return String(sequence);
};
const imageOf = (item: object) => marshall(item, { removeUndefinedValues: true });
const record = (before: object | undefined, after: object | undefined): DynamoDBRecord =>
  ({
    dynamodb: {
      SequenceNumber: nextSequence(),
      ...(before && { OldImage: imageOf(before) }),
      ...(after && { NewImage: imageOf(after) }),
    },
  }) as DynamoDBRecord;

async function deliver(shardId: string, Records: readonly DynamoDBRecord[]): Promise<void> {
  const { handler } = await import('../../../functions/triggers/count-jobs.ts');
  await handler({ Records: [...Records], shardId }, { awsRequestId: 'invocation-1' });
}

async function told(types: string): Promise<string[]> {
  const feed = new EventFeed({ ...deployment.registry, clock: { now: Date.now } });
  const { events } = await feed.read(await feed.since(0), 1_000, ({ type }) => type.startsWith(types));
  return events.map(({ type, subject }) => `${type} ${subject?.name}`);
}

it('a row is one event, however often its record comes, and none once it is removed', async () => {
  const subject = { kind: 'automation', id: 'a', name: 'Nightly', why: null } as const;
  const time = new Date().toISOString();
  const { Put } = eventRow(deployment.registry, 'a#1', { type: 'automation.late', time, subject });
  const row = Put?.Item ?? {};
  const records = [record(undefined, row), record(undefined, aJob({ id: jobIdOfKey('beside'), version: 1 }))];
  await deliver('rows', records);
  await Promise.all([
    deliver('rows', records),
    deliver('rows', [...records, record(row, row), record(row, undefined)]),
  ]);
  expect(await told('automation.')).toEqual(['automation.late Nightly']);
  expect(await told('job.')).toHaveLength(1);
});

/** The changes of a job, as records of the stream. */
function course(name: string, profile: string, ...states: Partial<Job>[]): DynamoDBRecord[] {
  const id = jobIdOfKey(name);
  const jobs = states.map((state, at) => aJob({ id, profile, version: at + 1, ...state }));
  return jobs.map((job, at) => record(at === 0 ? undefined : jobs[at - 1], job));
}

it('the first job that waits for an account makes an event, and so does the next one after a job has got on', async () => {
  const running = { status: 'RUNNING' } as const;
  const parked = { status: 'QUEUED', parked: 'usage_limit', reason: 'usage_limit' } as const;
  const probing = { status: 'QUEUED', probing: 'usage_limit' } as const;
  const first = course('first', 'codex', running, parked, probing, parked);
  await deliver('accounts', first);
  await deliver('accounts', course('second', 'codex-too', running, parked));
  await deliver('accounts', course('other', 'claude', running, parked));
  // A batch that failed before its end.
  await deliver('accounts', first);
  expect(await told('account.')).toEqual([
    'account.limit codex (profile codex)',
    'account.limit claude (profile claude)',
  ]);
  await deliver('accounts', course('third', 'codex', parked, { status: 'QUEUED' }));
  await deliver('accounts', course('fourth', 'codex-too', running, parked));
  await deliver('accounts', course('fifth', 'codex', { ...running }, { ...parked, parked: 'account_required' }));
  expect((await told('account.')).slice(2)).toEqual([
    'account.limit codex (profile codex-too)',
    'account.required codex (profile codex)',
  ]);
});
