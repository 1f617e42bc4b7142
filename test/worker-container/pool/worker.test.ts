import { afterEach, beforeEach, expect, it } from 'vitest';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import { machineTiming } from '../../../worker-container/output/timing.ts';
import { MessagePoller } from '../../../worker-container/pool/message-poller.ts';
import { Worker } from '../../../worker-container/pool/worker.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

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
