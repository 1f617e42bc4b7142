import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { EventFeed } from '../../../lib/events/event-feed.ts';
import { FeedReaders } from '../../../lib/events/feed-readers.ts';
import { type Consumer, readOn } from '../../../lib/events/read-on.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { onCallLater } from '../../../lib/platform/aws/call-later.ts';
import { aJob } from '../../lib/jobs/a-job.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
let woken: string[] = [];
let stopListening: () => void;
beforeAll(async () => {
  deployment = await emulateDeployment();
  for (const [name, value] of Object.entries(deployment.variables)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await deployment.stop();
});
beforeEach(() => {
  woken = [];
  stopListening = onCallLater('read-feed', (id) => woken.push(id));
});
afterEach(() => stopListening());

/** The readers as a process whose clock is so far ahead sees them. */
function readersAt(aheadMs = 0) {
  const registry = { ...deployment.registry, clock: { now: () => Date.now() + aheadMs } };
  const feed = new EventFeed(registry);
  return { feed, readers: new FeedReaders({ ...registry, feed }) };
}

async function add(id: string, types?: readonly string[]): Promise<void> {
  const addition = await readersAt().readers.addition(id, types);
  await deployment.registry.table.send(new TransactWriteCommand({ TransactItems: [addition] }));
}

/** Has the stream tell of a job's creation and of so many edits. */
async function append(name: string, edits: number): Promise<void> {
  const { handler } = await import('../../../functions/triggers/count-jobs.ts');
  const image = (version: number) => marshall(aJob({ id: jobIdOfKey(name), version }), { removeUndefinedValues: true });
  const Records = Array.from({ length: edits + 1 }, (_, at) => ({
    dynamodb: { SequenceNumber: String(at + 1), OldImage: at === 0 ? undefined : image(at), NewImage: image(at + 1) },
  })) as DynamoDBRecord[];
  await handler({ Records, shardId: name }, { awsRequestId: 'invocation-1' });
}

const sequencesOf = (name: string, taken: string[], then: Consumer['take'] = async () => 'taken'): Consumer => ({
  passes: ({ job_id }) => job_id === jobIdOfKey(name),
  take: async (event) => {
    taken.push(String(event.sequence));
    return await then(event);
  },
});
const read = async (id: string, consumer: Consumer, aheadMs?: number) =>
  await readOn(
    readersAt(aheadMs),
    id,
    async () => consumer,
    () => false,
  );

it('each reader is woken by the types that it waits for, and reads every event behind its own place once, in order', async () => {
  await append('before', 1);
  expect(woken).toEqual([]);
  await add('a:1', ['job.updated']);
  await add('b:1', ['job.failed']);
  await append('one', 120);
  expect(woken).toEqual(['a:1']);
  for (const [id, first] of [
    ['a:1', []],
    ['b:1', ['x']],
  ] as const) {
    const taken: string[] = [...first];
    expect(await read(id, sequencesOf('one', taken))).toBe('left');
    expect(taken).toEqual([...first, ...Array.from({ length: 121 }, (_, at) => String(at + 1))]);
    expect(await read(id, sequencesOf('one', taken))).toBe('left');
    expect(taken).toHaveLength(121 + first.length);
  }
});

it('an event whose handling fails or dies comes again, to one holder at a time', async () => {
  await add('dies:1');
  await append('two', 3);
  const taken: string[] = [];
  const fails = sequencesOf('two', taken, async ({ sequence }) => {
    if (sequence === 2) throw new Error('it fails');
    return 'taken';
  });
  await expect(read('dies:1', fails)).rejects.toThrow('it fails');
  expect(taken).toEqual(['1', '2']);
  // A holder that dies keeps the others out until its lease ends.
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const dead = read(
    'dies:1',
    sequencesOf('two', [], () => {
      reach();
      return new Promise<never>(() => undefined);
    }),
  );
  void dead;
  await reached;
  expect(await read('dies:1', sequencesOf('two', taken))).toBe('left');
  expect(taken).toEqual(['1', '2']);
  expect(await readersAt(60_000).readers.due()).not.toContain('dies:1');
  expect(await readersAt(120_000).readers.due()).toContain('dies:1');
  await read('dies:1', sequencesOf('two', taken), 120_000);
  expect(taken).toEqual(['1', '2', '2', '3', '4']);
});

it('a reader that waits for a time is woken by the pass of that minute, and by no event', async () => {
  await add('waits:1');
  await append('three', 0);
  const taken: string[] = [];
  const until = Date.now() + 300_000;
  expect(
    await read(
      'waits:1',
      sequencesOf('three', taken, async () => until),
    ),
  ).toBe('waits');
  woken = [];
  await append('four', 0);
  const { handler } = await import('../../../functions/triggers/reconcile-jobs.ts');
  await handler({}, { awsRequestId: 'invocation-2' });
  expect(woken).not.toContain('waits:1');
  expect(await read('waits:1', sequencesOf('three', taken))).toBe('left');
  expect(taken).toEqual(['1']);
  expect(await readersAt(301_000).readers.due()).toContain('waits:1');
  await read('waits:1', sequencesOf('three', taken), 301_000);
  expect(taken).toEqual(['1', '1']);
});

it('what is held moves its reader once it is flushed', async () => {
  await add('holds:1');
  await append('five', 2);
  const taken: string[] = [];
  const holds = { ...sequencesOf('five', taken, async () => 'held'), flush: async () => Date.now() };
  expect(await read('holds:1', holds)).toBe('waits');
  expect(await read('holds:1', { ...holds, flush: async () => 'taken' })).toBe('left');
  expect(taken).toEqual(['1', '2', '3', '1', '2', '3']);
  await read('holds:1', holds);
  expect(taken).toHaveLength(6);
});

it('a reader whose subject is gone is removed, and the pass wakes the others that are behind', async () => {
  await add('gone:1');
  await add('behind:1');
  await append('six', 0);
  await readOn(
    readersAt(),
    'gone:1',
    async () => undefined,
    () => false,
  );
  woken = [];
  const { handler } = await import('../../../functions/triggers/reconcile-jobs.ts');
  await handler({}, { awsRequestId: 'invocation-3' });
  expect(woken).toContain('behind:1');
  expect(woken).not.toContain('gone:1');
});
