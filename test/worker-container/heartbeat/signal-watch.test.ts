import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { markWatched } from '../../../lib/jobs/output/reading/read-output.ts';
import { WorkerSignals } from '../../../lib/live/worker-signals.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { SignalWatch } from '../../../worker-container/heartbeat/signal-watch.ts';
import { machineTiming } from '../../../worker-container/output/timing.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const WORKER = 'worker-1';

const runningJob = async () =>
  await deployment.store(
    aRunningJob({ id: randomUUID(), worker_id: WORKER, lease_until: timestamp(deployment.clock.now() + 600_000) }),
  );

/** A job that the worker runs, and a promise of the first change that it hears of. */
async function running(watch: SignalWatch) {
  const job = await runningJob();
  const heard = Promise.withResolvers<void>();
  const stop = watch.listen(job.id, heard.resolve);
  return { job, heard: heard.promise, stop };
}

function aWatch(): SignalWatch {
  const signals = new WorkerSignals({ ...deployment.registry, clock: deployment.clock });
  const timing = { ...machineTiming, schedule: (run: () => void) => machineTiming.schedule(run, 10) };
  return new SignalWatch({ signals, workerId: WORKER, timing, onFailure: () => undefined });
}

const CHANGES: Readonly<Record<string, (job: Job) => Promise<unknown>>> = {
  'a cancel': async (job) => await transition(deployment, job, { type: 'cancel' }),
  'a kill': async (job) => await transition(deployment, job, { type: 'kill' }),
  'a reader of its log': async (job) => await markWatched(deployment, job),
};

it.each(Object.entries(CHANGES))('hears of %s of a job that it runs, and of that job only', async (_what, change) => {
  const watch = aWatch();
  const [one, other] = [await running(watch), await running(watch)];
  let others = 0;
  void other.heard.then(() => (others += 1));
  await change(one.job);
  await one.heard;
  expect(others).toBe(0);
  one.stop();
  other.stop();
});

it('hears of a change that came before it listened', async () => {
  const job = await runningJob();
  await transition(deployment, job, { type: 'cancel' });
  const heard = Promise.withResolvers<void>();
  const stop = aWatch().listen(job.id, heard.resolve);
  await heard.promise;
  stop();
});
