import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BindingSecretStore } from '../../../lib/bindings/binding-secrets.ts';
import { writeBinding } from '../../../lib/bindings/write-binding.ts';
import { parseDelivery } from '../../../lib/deployments/calls/delivery-queue.ts';
import { viewDeployments } from '../../../lib/deployments/view-deployments.ts';
import { claimSystemJob } from '../../../lib/jobs/admission/claim-system-job.ts';
import { endAttempt } from '../../../lib/jobs/dispatch/end-attempt.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { LEASE } from '../../../lib/jobs/lifecycle/lease.ts';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { runDueEffects } from '../../../lib/reconciler/after-attempt.ts';
import { takeOverLostJobs } from '../../../lib/reconciler/reconcile-jobs.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { aReceipt, aRunningJob } from '../jobs/a-job.ts';

let deployment: EmulatedDeployment;
let now = Date.parse('2026-11-20T10:00:00.000Z');
const clock = { now: () => now };
const context = () => ({ ...deployment, clock });

beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const bind = async (body: {
  name?: string;
  binding_mode: 'generic' | 'custom';
  target_url?: string;
  command?: string;
  project: string;
}) =>
  await writeBinding(
    {
      ...context(),
      secrets: new BindingSecretStore(deployment.registry),
      projects: new ProjectStore({ ...deployment.registry, clock }),
      reach: { loopback: true },
    },
    body,
  );

/** A job whose worker died right after its report of success. */
async function succeeded(project: string): Promise<Job> {
  const running = aRunningJob({ id: jobIdOfKey(`bindings ${project}`), project_id: project, project });
  const job = await deployment.store(running);
  const finished_at = new Date(now).toISOString();
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: job.id, finished_at });
  await deployment.output.putReceipt(receipt);
  const ended = await endAttempt(context(), job, receipt);
  if (!ended.done) throw new Error(ended.rejected);
  return ended.job;
}

const stored = async ({ id }: Job) => await deployment.jobs.get(id, { consistent: true });

/** The calls that have been sent since the last check. */
async function sent() {
  const take = async (QueueUrl: string) => {
    const { Messages = [] } = await deployment.queues.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 3_600, WaitTimeSeconds: 0 }),
    );
    return Messages.map(({ Body = '' }) => Body);
  };
  const calls = (await take(deployment.env.QUEUE_URL_DELIVERIES)).map((body) => parseDelivery(body));
  return { calls: calls.map((call) => call?.job) };
}

it('a call left by a crash is recorded and sent once, and sent again when its message is lost', async () => {
  await bind({ binding_mode: 'generic', project: 'call', target_url: 'http://127.0.0.1:9/' });
  const job = await succeeded('call');
  await runDueEffects(context());
  await runDueEffects(context());
  expect((await sent()).calls).toEqual([job.id]);
  now += 61_000;
  await runDueEffects(context());
  expect((await sent()).calls).toEqual([job.id]);
  expect(await stored(job)).toMatchObject({ effects: [{ name: 'calls', attempt: 1 }] });
});

it('commands whose worker was lost have failed, and are not run again', async () => {
  await bind({ binding_mode: 'custom', project: 'lost', command: 'true' });
  const job = await succeeded('lost');
  await runDueEffects(context());
  const [pending] = await deployment.deployments.list(job.id);
  const commands = await deployment.jobs.get(pending?.runs_as ?? '', { consistent: true });
  if (commands === undefined) throw new Error('no job was made');
  const claimed = await claimSystemJob(context(), commands, 'worker-1');
  const read = async () => {
    const current = await stored(job);
    return current === undefined ? [] : await viewDeployments(deployment, current);
  };
  expect([claimed?.status, await read()]).toMatchObject(['RUNNING', [{ state: 'running', attempts: 1 }]]);
  now += LEASE.duration + 1_000;
  // Also if it was the table that failed.
  await takeOverLostJobs({ ...context(), hadOutage: () => true });
  const failed = [{ state: 'failed', attempts: 1, error: expect.stringContaining('worker') }];
  expect(await read()).toMatchObject(failed);
  expect(await stored(job)).not.toHaveProperty('effects');
  now += 3_600_000;
  await runDueEffects(context());
  expect([await read(), (await stored(commands))?.status]).toMatchObject([failed, 'FAILED']);
});

it('commands whose binding was deleted before they began are skipped', async () => {
  await bind({ binding_mode: 'custom', project: 'deleted', command: 'true' });
  const job = await succeeded('deleted');
  await runDueEffects(context());
  const [binding] = await deployment.bindings.list('deleted');
  if (binding !== undefined) await deployment.bindings.delete(binding);
  now += 3_600_000;
  await runDueEffects(context());
  const skipped = { state: 'skipped', attempts: 0, error: 'The binding was deleted.' };
  expect(await deployment.deployments.list(job.id)).toMatchObject([skipped]);
});
