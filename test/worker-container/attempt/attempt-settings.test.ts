import { ThrottlingException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProfileStore } from '../../../lib/catalog/profiles.ts';
import { claim } from '../../../lib/jobs/admission/claim.ts';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { resolveFolder } from '../../../lib/jobs/lifecycle/working-folder.ts';
import { sessionAboutKey, sessionPartKey } from '../../../lib/jobs/output/output-keys.ts';
import { runAttempt } from '../../../worker-container/attempt/attempt.ts';
import { s3OutputObjects } from '../../../worker-container/output/output-objects.ts';
import type { SecretSource } from '../../../worker-container/secrets/secrets.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

const BUSY = new ThrottlingException({ message: 'Rate exceeded', $metadata: { httpStatusCode: 400 } });

class FailingProfiles extends ProfileStore {
  readonly error: Error;

  constructor(registry: ConstructorParameters<typeof ProfileStore>[0], error: Error) {
    super(registry);
    this.error = error;
  }

  override async get(): Promise<never> {
    throw this.error;
  }
}

/** Runs a job, whose worker differs, to the end of its attempt. @returns the job as it then is */
async function attempted(
  changes: { profiles?: ProfileStore; secrets?: SecretSource },
  profile = 'shell',
  { signal: stopping } = new AbortController(),
  asClaimed: (job: Job) => Promise<Job> = async (job) => job,
): Promise<Job> {
  const { creation, worker } = await openWorker(deployment);
  const secret = { name: 'with-secret', agent: 'shell', env: { A: { secret: 'A' } } } as const;
  await worker.profiles.put(secret);
  await worker.profiles.put({ name: 'codex', agent: 'codex', vendor: 'practice' });
  const { id } = await createJob(creation, { prompt: 'true', profile, retries: 1 }, 'token:test');
  const held = await deployment.dispatchQueues.receive('normal', 5);
  if (held === undefined) throw new Error('the message did not arrive');
  const claimed = await claim(deployment, held, worker.workerId);
  if (claimed.kind !== 'claimed') throw new Error(`the message led to: ${claimed.kind}`);
  const env = { ...worker.env, PROMPTQ_PRACTICE_URL: 'http://127.0.0.1:9/v1', PROMPTQ_PRACTICE_KEY: 'unused' };
  await runAttempt({ ...worker, env, ...changes }, await asClaimed(claimed.job), held, stopping);
  const job = await deployment.jobs.get(id, { consistent: true });
  if (job === undefined) throw new Error('the job is gone');
  return job;
}

const HANDED_BACK = { status: 'QUEUED', reason: 'waiting_for_worker', attempt: 1 };

it("a profile that can't be read because the table is busy releases the job and uses no retry", async () => {
  const job = await attempted({ profiles: new FailingProfiles(deployment.registry, BUSY) });
  expect(job).toMatchObject(HANDED_BACK);
  expect([job.retries_used, job.losses, job.due_at]).toEqual([undefined, undefined, undefined]);
});

it('a permanent error fails the attempt with its reason', async () => {
  const broken = new FailingProfiles(deployment.registry, new Error('the profile is not one'));
  expect(await attempted({ profiles: broken })).toMatchObject({
    status: 'QUEUED',
    reason: 'retry_backoff',
    retries_used: 1,
    error: 'the profile is not one',
  });
});

/** A second attempt, whose predecessor ran for an hour of the hour that the job has. */
const after = (job: Job): Job => ({ ...job, attempt: 2, timeout: 3_600, ran_before: 3_600_000, resume_from: 1 });

it('an attempt that starts over gets its whole timeout', async () => {
  expect(await attempted({}, 'shell', undefined, async (job) => after(job))).toMatchObject({ status: 'SUCCEEDED' });
});

it('an attempt that continues a session without any time left starts no agent', async () => {
  const job = await attempted({}, 'codex', undefined, async (claimed) => {
    await saveSession(claimed);
    return after(claimed);
  });
  expect(job).toMatchObject({ error: expect.stringContaining('longer than its timeout') });
  expect(await deployment.readReceipt(job.id, 2)).toMatchObject({
    outcome: { kind: 'failed', reason: 'timed_out' },
    streams: { stdout: { bytes: 0 } },
  });
});

/** Saves a session of codex as the first attempt of the job. */
async function saveSession(job: Job): Promise<void> {
  const { PROMPTQ_WORKSPACES: workspaces, OUTPUT_BUCKET: bucket } = deployment.env;
  const folder = resolveFolder({ workspaces, roots: [] }, job);
  const session_id = '01a207f5-eb44-7283-a012-30a0de506a94';
  const about = {
    ...{ version: 1, agent: 'codex', vendor: 'practice', session_id, path: `rollout-${session_id}.jsonl` },
    ...{ cwd: 'path' in folder && folder.path, worker_id: 'worker-1' },
  };
  const objects = s3OutputObjects(deployment.objects, bucket);
  const { signal } = new AbortController();
  await objects.put(sessionAboutKey(job.id, 1, 0), Buffer.from(JSON.stringify(about)), signal);
  await objects.put(sessionPartKey(job.id, 1, 0, 0), Buffer.from('{"line":1}\n'), signal);
}
