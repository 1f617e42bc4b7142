import { afterEach, beforeEach, expect, it } from 'vitest';
import { createJob } from '../../lib/jobs/create-job.ts';
import { transition } from '../../lib/jobs/transition.ts';
import { PermitSource } from '../../worker-container/permit-source.ts';
import { Worker } from '../../worker-container/worker.ts';
import { type EmulatedDeployment, emulateDeployment } from '../emulated-deployment.ts';
import { openWorker } from '../emulated-worker.ts';
import { waitFor } from '../local-service.ts';

let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

it('a permit that comes back leads a worker to the jobs of workers that died', async () => {
  const { creation, worker: context } = await openWorker(deployment);
  const { id } = await createJob(creation, { prompt: 'echo again' }, 'token:test');
  const held = await deployment.permits.receive('normal', 5);
  const job = await deployment.jobs.get(id, { consistent: true });
  if (job === undefined || held === undefined) throw new Error('the job was not created');
  // A worker claimed it a minute ago and has not been heard of since; its permit becomes visible again.
  const past = { ...deployment, clock: { now: () => deployment.clock.now() - 60_000 } };
  expect(await transition(past, job, { type: 'claim', workerId: 'dead' })).toMatchObject({ done: true });
  await deployment.permits.extend(held, 0);

  const draining = new AbortController();
  const { permits } = deployment;
  const source = new PermitSource({ permits, starvingBands: async () => [], onFailure: () => undefined });
  const worker = new Worker(
    { ...context, source },
    { draining: draining.signal, stopping: new AbortController().signal },
  );
  const running = worker.run(1);
  const ended = await waitFor(async () => {
    const now = await deployment.jobs.get(id, { consistent: true });
    return now?.status === 'SUCCEEDED' ? now : undefined;
  });
  expect(ended).toMatchObject({ attempt: 2, losses: 1, worker_id: 'worker-under-test' });
  draining.abort();
  await running;
});
