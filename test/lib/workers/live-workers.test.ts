import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiveWorkers } from '../../../lib/workers/live-workers.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

/** More than the 1 MB that one Query reads. */
const LEFT_WORKERS = 300;
const LONG_HOST = 'h'.repeat(4_000);

test('live workers are found behind any number of expired ones that DynamoDB has not removed yet', async () => {
  const { table, env, workers, clock } = deployment;
  const live = {
    id: 'z',
    host: 'z',
    version: '1',
    concurrency: 1,
    running: [],
    started_at: '2026-01-01T00:00:00.000Z',
  };
  await workers.register(live);
  const left = Array.from({ length: LEFT_WORKERS }, (_, n) => ({
    ...live,
    kind: 'worker',
    id: `a${n}`,
    host: LONG_HOST,
    seen_at: live.started_at,
    expires_at_epoch: Math.floor(clock.now() / 1000) - 10,
  }));
  for (let at = 0; at < left.length; at += 25) {
    const requests = left.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
    await table.send(new BatchWriteCommand({ RequestItems: { [env.REGISTRY_TABLE]: requests } }));
  }
  expect((await workers.list()).map(({ id }) => id)).toEqual(['z']);
  expect((await workers.recent()).map(({ id }) => id)).toEqual(['z']);
});

test('a worker that has left is recent until its item may be removed, whether or not it has been', async () => {
  const { registry, clock } = deployment;
  let ahead = 0;
  const workers = new LiveWorkers({ ...registry, clock: { now: () => clock.now() + ahead } });
  const gone = {
    id: 'gone',
    host: 'h',
    version: '1',
    concurrency: 1,
    running: [],
    started_at: '2026-01-01T00:00:00.000Z',
  };
  await workers.deregister(gone);
  const isRecent = async () => (await workers.recent()).some(({ id }) => id === 'gone');
  expect(await isRecent()).toBe(true);
  ahead = 5 * 60_000;
  expect(await isRecent()).toBe(true);
  ahead = 8 * 60_000;
  expect(await isRecent()).toBe(false);
});

test('a registration that arrives long after it was first sent leaves its worker silent', async () => {
  const { registry, clock } = deployment;
  const worker = { id: 'slow', host: 'h', version: '1', concurrency: 1, running: [], started_at: '' };
  const registeredAfter = async (milliseconds: number) => {
    let since = milliseconds;
    const workers = new LiveWorkers({ ...registry, clock: { now: () => clock.now() - since } });
    const sent = workers.register(worker);
    since = 0;
    return { isLive: await sent, isListed: (await workers.list()).some(({ id }) => id === worker.id) };
  };
  expect(await registeredAfter(60_000)).toEqual({ isLive: false, isListed: false });
  // It would be silent before its next registration could arrive.
  expect(await registeredAfter(30_000)).toEqual({ isLive: false, isListed: true });
  expect(await registeredAfter(5_000)).toEqual({ isLive: true, isListed: true });
});
