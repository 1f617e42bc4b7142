import { expect, it } from 'vitest';
import { Worker } from '../../../worker-container/pool/worker.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { workerContext } from './a-worker.ts';

/** Runs a worker with one slot until `draining` is aborted. */
async function run(changes: object, draining: AbortController): Promise<void> {
  const context = workerContext(quietDeployment(), changes);
  await new Worker(context, { draining: draining.signal, stopping: new AbortController().signal }).run(1);
}

it('a disk that had room is not probed again within a second, a full one is', async () => {
  const draining = new AbortController();
  let now = 0;
  const probedAt: number[] = [];
  const probeDisk = async () => {
    probedAt.push(now);
    if (probedAt.length === 1) throw new Error('it is full');
  };
  const times = [400, 999, 1_000, 1_400, 2_100];
  const next = async () => {
    now = times.shift() ?? now;
    if (times.length === 0) draining.abort();
    return undefined;
  };
  const timing = {
    now: () => now,
    schedule: (resume: () => void) => {
      setImmediate(resume);
      return () => undefined;
    },
  };
  await run({ probeDisk, timing, source: { next } }, draining);
  expect(probedAt).toEqual([0, 0, 1_000]);
});

it('a disk that stays full for a minute is reported, so that the worker leaves, and one that had room between is not', async () => {
  const draining = new AbortController();
  let [now, received, probes] = [0, 0, 0];
  const timing = {
    now: () => now,
    schedule: (resume: () => void, milliseconds: number) => {
      now += milliseconds;
      setImmediate(resume);
      return () => undefined;
    },
  };
  const next = async () => {
    received += 1;
    now += 5_000;
    return undefined;
  };
  const probeDisk = async () => {
    probes += 1;
    if (now > 200_000 || probes > 50) draining.abort();
    if (now !== 50_000) throw new Error('it is full');
  };
  const reported: number[] = [];
  const onNoRoom = () => {
    reported.push(now);
    draining.abort();
  };
  await run({ probeDisk, onNoRoom, timing, source: { next } }, draining);
  expect([reported, received]).toEqual([[55_000 + 60_000], 1]);
});
