import { Logger } from '@aws-lambda-powertools/logger';
import { expect, it } from 'vitest';
import type { ReceivedMessage } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import { Acknowledger } from '../../../worker-container/pool/acknowledger.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const PROJECT = { project_id: 'p', priority: 0 };

/** A deployment with so many messages in hand, and an acknowledger for them. */
async function withMessages(count: number) {
  const deployment = quietDeployment();
  for (let n = 0; n < count; n += 1) await deployment.dispatchQueues.send({ id: `job ${n}`, ...PROJECT });
  const held: ReceivedMessage[] = [];
  while (held.length < count)
    held.push(...(await deployment.dispatchQueues.receiveUpTo('normal', { most: 10, waitSeconds: 0 })));
  const { time, dispatchQueues } = deployment;
  const timing = { now: () => time.now, schedule: (run: () => void, delay: number) => time.schedule(run, delay) };
  const acknowledger = new Acknowledger({ dispatchQueues, timing, log: new Logger({ logLevel: 'SILENT' }) });
  const deletions = () => deployment.calls.filter((call) => /^DeleteMessage/.test((call as object).constructor.name));
  return { deployment, held, acknowledger, deletions };
}

/** How many messages become visible again. */
async function returned(deployment: ReturnType<typeof quietDeployment>): Promise<number> {
  await deployment.pass(60_000);
  return (await deployment.dispatchQueues.receiveUpTo('normal', { most: 10, waitSeconds: 0 })).length;
}

it('messages that are handled within a moment are deleted in one request', async () => {
  const { deployment, held, acknowledger, deletions } = await withMessages(3);
  for (const message of held) await acknowledger.acknowledge(message);
  expect(deletions()).toHaveLength(0);
  await deployment.pass(1_000);
  expect(deletions()).toHaveLength(1);
  expect(await returned(deployment)).toBe(0);
});

it('ten messages are deleted at once, and the rest when the worker ends', async () => {
  const { deployment, held, acknowledger, deletions } = await withMessages(12);
  for (const message of held) await acknowledger.acknowledge(message);
  expect(deletions()).toHaveLength(1);
  await acknowledger.flush();
  expect(deletions()).toHaveLength(2);
  expect(await returned(deployment)).toBe(0);
});

it('a message that could not be deleted is delivered again, and the worker continues', async () => {
  const { held } = await withMessages(1);
  const lines: unknown[] = [];
  const log = Object.assign(new Logger({ logLevel: 'SILENT' }), { warn: (line: unknown) => lines.push(line) });
  const acknowledgeAll = async () => await Promise.reject(new Error('the queue is away'));
  const acknowledger = new Acknowledger({ dispatchQueues: { acknowledgeAll }, log });
  for (const message of held) await acknowledger.acknowledge(message);
  await acknowledger.flush();
  expect(lines).toEqual(['dispatch messages not acknowledged; they will return once']);
});

it('nine messages wait for a tenth', async () => {
  const { held, acknowledger, deletions } = await withMessages(10);
  for (const message of held.slice(1)) await acknowledger.acknowledge(message);
  expect(deletions()).toHaveLength(0);
  for (const message of held.slice(0, 1)) await acknowledger.acknowledge(message);
  expect(deletions()).toHaveLength(1);
});

it('a message waits 200 ms', async () => {
  const { deployment, held, acknowledger, deletions } = await withMessages(1);
  for (const message of held) await acknowledger.acknowledge(message);
  await deployment.pass(199);
  expect(deletions()).toHaveLength(0);
  await deployment.pass(2);
  expect(deletions()).toHaveLength(1);
});

it('a worker ends only when its messages are deleted', async () => {
  const { held } = await withMessages(1);
  const deleted = Promise.withResolvers<void>();
  const dispatchQueues = { acknowledgeAll: async () => await deleted.promise };
  const acknowledger = new Acknowledger({ dispatchQueues, log: new Logger({ logLevel: 'SILENT' }) });
  for (const message of held) await acknowledger.acknowledge(message);
  let hasEnded = false;
  const ended = acknowledger.flush().then(() => {
    hasEnded = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasEnded).toBe(false);
  deleted.resolve();
  await ended;
});
