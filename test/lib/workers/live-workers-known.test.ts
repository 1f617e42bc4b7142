import { expect, test } from 'vitest';
import { LiveWorkers } from '../../../lib/workers/live-workers.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const WORKER = { id: 'w', host: 'h', version: '1', concurrency: 1, running: ['job_1'], started_at: '' };

/** Workers whose clock a test sets, in milliseconds after it began. */
function workersAt() {
  const { table, env, clock } = quietDeployment();
  const start = clock.now();
  const state = { later: 0, sent: [] as { Item?: Record<string, unknown>; ConsistentRead?: boolean }[] };
  const send = async (command: { input: object }) => {
    state.sent.push(command.input);
    return await table.send(command as never);
  };
  const registry = { table: { send } as unknown as typeof table, registryTable: env.REGISTRY_TABLE };
  const workers = new LiveWorkers({ ...registry, clock: { now: () => start + state.later } });
  return { state, start, workers };
}

test('a worker is live for 45 seconds after it registered, and recent for seven and a half minutes', async () => {
  const { state, start, workers } = workersAt();
  expect(await workers.register(WORKER)).toBe(true);
  expect(state.sent[0]?.Item?.expires_at_epoch).toBe(Math.ceil((start + 450_000) / 1000));
  const known = async (later: number) => {
    state.later = later;
    return [await workers.count(), (await workers.recent()).length];
  };
  expect(await known(45_000)).toEqual([1, 1]);
  expect(await known(45_001)).toEqual([0, 1]);
  expect(await known(449_000)).toEqual([0, 1]);
  expect(await known(451_000)).toEqual([0, 0]);
});

test('a worker that has exited is not live, and runs nothing', async () => {
  const { workers } = workersAt();
  await workers.register({ ...WORKER, leaving: 'idle' });
  expect(await workers.list()).toMatchObject([{ leaving: 'idle', running: ['job_1'] }]);
  await workers.deregister(WORKER);
  expect(await workers.list()).toEqual([]);
  expect(await workers.recent()).toMatchObject([{ id: 'w', running: [], left_at: expect.any(String) }]);
});

test.each([
  [60_000, { isLive: false, listed: 0 }],
  // It would be silent before its next registration could arrive.
  [30_000, { isLive: false, listed: 1 }],
  [5_000, { isLive: true, listed: 1 }],
])('a registration that arrives after %i ms says whether its worker counts as live', async (late, expected) => {
  const { state, workers } = workersAt();
  const sent = workers.register(WORKER);
  state.later = late;
  expect({ isLive: await sent, listed: await workers.count() }).toEqual(expected);
});
