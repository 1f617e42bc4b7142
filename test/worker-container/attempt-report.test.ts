import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Job } from '../../lib/jobs/job.ts';
import { jobIdOfKey } from '../../lib/jobs/job-id.ts';
import { JobStore } from '../../lib/jobs/job-store.ts';
import { LEASE } from '../../lib/jobs/lease.ts';
import { OutputStore } from '../../lib/jobs/output-store.ts';
import type { AttemptContext } from '../../worker-container/attempt.ts';
import { reportAttempt } from '../../worker-container/attempt-report.ts';
import type { Timing } from '../../worker-container/output/timing.ts';
import { type EmulatedDeployment, emulateDeployment } from '../emulated-deployment.ts';
import { openWorker } from '../emulated-worker.ts';
import { aReceipt, aRunningJob } from '../lib/jobs/a-job.ts';

let deployment: EmulatedDeployment;
let worker: AttemptContext;
beforeAll(async () => {
  deployment = await emulateDeployment();
  ({ worker } = await openWorker(deployment));
});
afterAll(async () => await deployment.stop());

/** A client whose first calls of one kind fail, as they do when all tries of the SDK were in vain. */
function failing<C extends { send: (command: never) => Promise<unknown> }>(client: C, kind: string, times: number) {
  let left = times;
  const send = async (command: never) => {
    if ((command as object).constructor.name === kind && left-- > 0) throw new Error('the service is away');
    return await client.send(command);
  };
  return Object.assign(Object.create(client) as C, { send });
}

/** Pauses end at once, what may last longest never does. */
const impatient: Timing = {
  now: () => performance.now(),
  schedule(run, delay) {
    const waiting = delay < LEASE.duration ? setImmediate(run) : undefined;
    return () => clearImmediate(waiting);
  },
};

/** Reports a success of a running job. @returns the job as it then is. */
async function reported(name: string, context: Partial<AttemptContext>): Promise<Job | undefined> {
  const job = await deployment.store(aRunningJob({ id: jobIdOfKey(name), project_id: name, folder: name }));
  const { outcome, composed_prompt, streams, started_at } = aReceipt({ kind: 'succeeded', reason: 'exited' });
  const record = { outcome, composed_prompt, streams, startedAt: started_at, sources: undefined };
  await reportAttempt({ ...worker, ...context, timing: impatient }, job, record);
  return await deployment.jobs.get(job.id, { consistent: true });
}

it('an object store that is away for a while delays the receipt, and the report with it', async () => {
  const objects = failing(deployment.objects, 'PutObjectCommand', 3);
  const output = new OutputStore(objects, deployment.env.OUTPUT_BUCKET);
  const job = await reported('away objects', { output });
  expect(job).toMatchObject({ status: 'SUCCEEDED' });
  expect(await deployment.output.readReceipt(job?.id ?? '', 1)).toMatchObject({ outcome: { kind: 'succeeded' } });
});

it('a table that is away for a while delays the report', async () => {
  const table = failing(deployment.table, 'UpdateCommand', 3);
  const jobs = new JobStore(table, deployment.env.JOBS_TABLE);
  expect(await reported('away table', { jobs })).toMatchObject({ status: 'SUCCEEDED' });
});

it('what follows from the end is left to the watch if it fails: the report stands', async () => {
  const partition = async function* () {
    yield await Promise.reject<Job>(new Error('the index is away'));
  };
  expect(await reported('away index', { partition })).toMatchObject({ status: 'SUCCEEDED' });
});
