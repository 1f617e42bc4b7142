import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import type { ReceivedMessage } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import { machineTiming } from '../../../worker-container/output/timing.ts';
import { MessagePoller } from '../../../worker-container/pool/message-poller.ts';
import { Worker } from '../../../worker-container/pool/worker.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../emulated-deployment.ts';
import { openWorker } from '../../emulated-worker.ts';
import { waitFor } from '../../local-service.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';

let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

it('a message that becomes visible again leads a worker to the jobs of workers that died', async () => {
  const { creation, worker: context } = await openWorker(deployment);
  const { id } = await createJob(creation, { prompt: 'echo again' }, 'token:test');
  const held = await deployment.dispatchQueues.receive('normal', 5);
  const job = await deployment.jobs.get(id, { consistent: true });
  if (job === undefined || held === undefined) throw new Error('the job was not created');
  // A worker claimed it a minute ago and has been silent since; its message becomes visible again.
  const past = { ...deployment, clock: { now: () => deployment.clock.now() - 60_000 } };
  expect(await transition(past, job, { type: 'claim', workerId: 'dead' })).toMatchObject({ done: true });
  await deployment.dispatchQueues.extend(held, 0);

  const draining = new AbortController();
  const { dispatchQueues } = deployment;
  const source = new MessagePoller({ dispatchQueues, starvingBands: async () => [], onFailure: () => undefined });
  const changed: string[] = [];
  const worker = new Worker(
    { ...context, source, onChange: (jobId) => changed.push(jobId) },
    { draining: draining.signal, stopping: new AbortController().signal },
  );
  const running = worker.run(1);
  const ended = await waitFor(async () => {
    const now = await deployment.jobs.get(id, { consistent: true });
    return now?.status === 'SUCCEEDED' ? now : undefined;
  });
  expect(ended).toMatchObject({ attempt: 2, losses: 1, worker_id: 'worker-under-test' });
  expect(changed).toEqual([id, id]);
  draining.abort();
  await running;
});

it('a disk that had room is not probed again within a second, a full one is', async () => {
  const { worker: context } = await openWorker(deployment);
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
    schedule: (run: () => void) => {
      setImmediate(run);
      return () => undefined;
    },
  };
  const worker = new Worker(
    { ...context, probeDisk, timing, source: { next } as unknown as MessagePoller },
    { draining: draining.signal, stopping: new AbortController().signal },
  );
  await worker.run(1);
  expect(probedAt).toEqual([0, 0, 1_000]);
});

it('a disk that stays full for a minute is reported, so that the worker leaves, and one that had room between is not', async () => {
  const { worker: context } = await openWorker(deployment);
  const draining = new AbortController();
  let now = 0;
  const timing = {
    now: () => now,
    schedule: (run: () => void, milliseconds: number) => {
      now += milliseconds;
      setImmediate(run);
      return () => undefined;
    },
  };
  let received = 0;
  const source = {
    next: async () => {
      received += 1;
      now += 5_000;
      return undefined;
    },
  };
  const probeDisk = async () => {
    if (now > 200_000) draining.abort();
    if (now !== 50_000) throw new Error('it is full');
  };
  const reported: number[] = [];
  const onNoRoom = () => {
    reported.push(now);
    draining.abort();
  };
  const worker = new Worker(
    { ...context, probeDisk, onNoRoom, timing, source: source as unknown as MessagePoller },
    { draining: draining.signal, stopping: new AbortController().signal },
  );
  await worker.run(1);
  expect([reported, received]).toEqual([[55_000 + 60_000], 1]);
});

describeAsRoot('a worker with accounts', () => {
  it('removes what a job has left in the temporary folders of the machine before it takes another one', async () => {
    const accounts = newAccounts(1);
    const [account] = accounts.slots as [ServiceAccount];
    const { worker: context } = await openWorker(deployment);
    const left = await mkdtemp('/tmp/left-by-a-job-');
    await chown(left, account.uid, account.gid);
    const draining = new AbortController();
    let found: string[] = [];
    const next = async () => {
      found = await readdir('/tmp');
      draining.abort();
      return undefined;
    };
    const signals = { draining: draining.signal, stopping: new AbortController().signal };
    await new Worker({ ...context, accounts, source: { next } as unknown as MessagePoller }, signals).run(1);
    await rm(left, { recursive: true, force: true });
    expect(found).not.toContain(basename(left));
  });
});

it('an old message that finds no job is counted and acknowledged; a young one is neither', async () => {
  const { worker: context } = await openWorker(deployment);
  const told: object[] = [];
  const acknowledged: string[] = [];
  const draining = new AbortController();
  const held = (handle: string, receives: number, sentAt: number): ReceivedMessage => ({
    message: { v: 1, band: 'high', project: 'nobody', job: 'job_unknown' },
    handle,
    receives,
    sentAt,
  });
  const now = deployment.clock.now();
  const waiting = [held('young', 5, now), held('old', 5, now - 60_000)];
  const next = async () => {
    const message = waiting.shift();
    if (message === undefined) draining.abort();
    return message;
  };
  const dispatchQueues = Object.assign(Object.create(deployment.dispatchQueues), {
    acknowledgeAll: async (_: string, handled: ReceivedMessage[]) =>
      void acknowledged.push(...handled.map(({ handle }) => handle)),
    extend: async () => undefined,
  });
  const worker = new Worker(
    // With a fixed clock, even if its machine is paused.
    {
      ...context,
      dispatchQueues,
      clock: { now: () => now },
      source: { next } as unknown as MessagePoller,
      emitMetrics: (values) => told.push(values),
    },
    { draining: draining.signal, stopping: new AbortController().signal },
  );
  await worker.run(1);
  expect(acknowledged).toEqual(['old']);
  expect(told).toEqual([{ PermitsDropped: 1 }]);
});

it('a job that was handed back is followed by a pause, one that has ended is not', async () => {
  const { creation, worker: context } = await openWorker(deployment);
  const pausesAfter = async (isStopping: boolean) => {
    await createJob(creation, { prompt: 'true' }, 'token:test');
    const [draining, stopping] = [new AbortController(), new AbortController()];
    if (isStopping) stopping.abort();
    const received = await deployment.dispatchQueues.receive('normal', 5);
    const waiting = [received];
    const next = async () => {
      const message = waiting.shift();
      if (message === undefined) draining.abort();
      return message;
    };
    const pauses: number[] = [];
    const schedule = (run: () => void, milliseconds: number) => {
      if (milliseconds !== 5_000) return machineTiming.schedule(run, milliseconds);
      pauses.push(milliseconds);
      setImmediate(run);
      return () => undefined;
    };
    const worker = new Worker(
      { ...context, timing: { ...machineTiming, schedule }, source: { next } as unknown as MessagePoller },
      { draining: draining.signal, stopping: stopping.signal },
    );
    await worker.run(1);
    return pauses;
  };
  expect(await pausesAfter(false)).toEqual([]);
  expect(await pausesAfter(true)).toEqual([5_000]);
});
