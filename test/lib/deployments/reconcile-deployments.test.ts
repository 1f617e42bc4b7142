import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BindingSecretStore } from '../../../lib/bindings/binding-secrets.ts';
import { deleteBinding, writeBinding } from '../../../lib/bindings/write-binding.ts';
import { createDelivery } from '../../../lib/composition/create-delivery.ts';
import { parseDelivery } from '../../../lib/deployments/calls/delivery-queue.ts';
import { deliverCall } from '../../../lib/deployments/deliver-call.ts';
import { reconcileDeployments } from '../../../lib/deployments/reconcile-deployments.ts';
import { endAttempt } from '../../../lib/jobs/dispatch/end-attempt.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { startReceiver } from '../../api/catalog/webhook-receiver.ts';
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

/** The calls and dispatch messages that have been sent since the last check. */
async function sent() {
  const take = async (QueueUrl: string) => {
    const { Messages = [] } = await deployment.queues.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 3_600, WaitTimeSeconds: 0 }),
    );
    return Messages.map(({ Body = '' }) => Body);
  };
  const calls = (await take(deployment.env.QUEUE_URL_DELIVERIES)).map((body) => parseDelivery(body));
  const dispatchQueues = (await take(deployment.env.QUEUE_URL_NORMAL)).map(
    (body) => JSON.parse(body) as { deploy?: boolean; job: string },
  );
  return {
    calls: calls.map((call) => call?.job),
    dispatchQueues: dispatchQueues.filter(({ deploy }) => deploy === true).map(({ job }) => job),
  };
}

it('the update that ends a job records whether bindings must act on it', async () => {
  await bind({ binding_mode: 'custom', project: 'marked', command: 'true' });
  expect((await succeeded('marked')).bindings_pending).toEqual([1]);
  expect((await succeeded('without')).bindings_pending).toBeUndefined();
  await bind({ binding_mode: 'generic', project: 'incomplete' });
  expect((await succeeded('incomplete')).bindings_pending).toBeUndefined();
});

it('a call left by a crash is recorded and sent once, and sent again when its message is lost', async () => {
  await bind({ binding_mode: 'generic', project: 'call', target_url: 'http://127.0.0.1:9/' });
  const job = await succeeded('call');
  await reconcileDeployments(context());
  await reconcileDeployments(context());
  expect((await sent()).calls).toEqual([job.id]);
  now += 61_000;
  await reconcileDeployments(context());
  expect((await sent()).calls).toEqual([job.id]);
  expect(await stored(job)).toMatchObject({ bindings_pending: [1] });
});

it('every call is sent again when all messages were lost', async () => {
  await bind({ binding_mode: 'generic', project: 'purged', target_url: 'http://127.0.0.1:9/' });
  const job = await succeeded('purged');
  await reconcileDeployments(context());
  await sent();
  await reconcileDeployments(context());
  expect((await sent()).calls).not.toContain(job.id);
  await reconcileDeployments(context(), { lost: true });
  expect((await sent()).calls).toContain(job.id);
});

it('commands that have not started are offered to the workers, by one dispatch message for all', async () => {
  for (const name of ['a', 'b']) await bind({ binding_mode: 'custom', project: 'offered', command: 'true', name });
  const job = await succeeded('offered');
  await reconcileDeployments(context());
  expect((await sent()).dispatchQueues).not.toContain(job.id);
  now += 61_000;
  await reconcileDeployments(context());
  expect((await sent()).dispatchQueues.filter((id) => id === job.id)).toHaveLength(1);
});

it.each([
  ['deleted', 'The binding was deleted.'],
  ['changed', 'The binding was changed.'],
  ['switched off', "This deployment's bindings run no commands."],
])('a command whose binding was %s is skipped without a worker', async (change, error) => {
  const project = `not-run-${change.replaceAll(' ', '-')}`;
  const { view } = await bind({ binding_mode: 'custom', project, name: 'site', command: 'true' });
  const job = await succeeded(project);
  await reconcileDeployments(context());
  expect(await deployment.deployments.list(job.id)).toMatchObject([{ state: 'pending' }]);
  if (change === 'deleted')
    await deleteBinding({ ...context(), secrets: new BindingSecretStore(deployment.registry) }, view.id);
  if (change === 'changed')
    await bind({ binding_mode: 'generic', project, name: 'site', target_url: 'http://127.0.0.1:9/' });
  now += 61_000;
  await sent();
  await reconcileDeployments({ ...context(), ...(change === 'switched off' && { commands: false }) });
  expect(await deployment.deployments.list(job.id)).toMatchObject([{ state: 'skipped', error }]);
  expect((await stored(job))?.bindings_pending).toBeUndefined();
  expect((await sent()).dispatchQueues).not.toContain(job.id);
});

it('commands whose worker was lost have failed, and are not run again', async () => {
  await bind({ binding_mode: 'custom', project: 'lost', command: 'true' });
  const job = await succeeded('lost');
  await reconcileDeployments(context());
  const [pending] = await deployment.deployments.list(job.id);
  if (pending === undefined) throw new Error('nothing was written down');
  const worker = { id: 'worker-1', host: 'h', version: '1', concurrency: 1, running: [], started_at: '' };
  await deployment.workers.register(worker);
  const ends_by = new Date(now + 3_600_000).toISOString();
  await deployment.deployments.replace(pending, { ...pending, state: 'running', worker_id: worker.id, ends_by });
  // Silent for longer than any live worker.
  const watch = async () => await reconcileDeployments({ ...deployment, clock });
  await watch();
  expect((await deployment.deployments.list(job.id))[0]).toMatchObject({ state: 'running' });
  await deployment.workers.deregister(worker);
  await watch();
  expect((await deployment.deployments.list(job.id))[0]).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('worker'),
  });
  expect((await stored(job))?.bindings_pending).toBeUndefined();
  now += 61_000;
  await sent();
  await watch();
  expect((await deployment.deployments.list(job.id))[0]).toMatchObject({ state: 'failed', attempts: 0 });
});

it('a call that failed permanently is a dead letter, and can be redriven', async () => {
  await bind({ binding_mode: 'generic', project: 'dead', target_url: 'http://127.0.0.1:9/' });
  const job = await succeeded('dead');
  await reconcileDeployments(context());
  const deliver = {
    ...createDelivery({ ...deployment, env: { ...deployment.env, PROMPTQ_CALL_PAUSES: [1] } }),
    clock,
  };
  const delivery = { v: 1 as const, job: job.id, attempt: 1, binding: 'dead.generic' };
  const wait = await deliverCall(deliver, delivery);
  expect(wait).toBeGreaterThan(0.7);
  expect(await deliverCall(deliver, delivery)).toBeGreaterThan(0);
  now += 2_000;
  expect(await deliverCall(deliver, delivery)).toBeUndefined();
  const about = async () => (await deployment.deployments.list(job.id))[0];
  expect(await about()).toMatchObject({ state: 'failed', attempts: 2 });
  expect((await stored(job))?.bindings_pending).toBeUndefined();
  // Duplicate messages make no further call.
  await deliverCall(deliver, delivery);
  expect(await about()).toMatchObject({ state: 'failed', attempts: 2 });
  const { Messages } = await deployment.queues.send(
    new ReceiveMessageCommand({ QueueUrl: `${deployment.env.QUEUE_URL_DELIVERIES}-dlq`, WaitTimeSeconds: 1 }),
  );
  const dead = parseDelivery(Messages?.[0]?.Body ?? '');
  expect(dead).toEqual({ ...delivery, given_up: true });
  if (dead !== undefined) await deliverCall(deliver, dead);
  expect(await about()).toMatchObject({ state: 'pending', attempts: 1 });
  expect(await stored(job)).toMatchObject({ bindings_pending: [1] });
});

it('one call is made, however many duplicates of its message arrive at once', async () => {
  const receiver = await startReceiver(() => [500]);
  await bind({ binding_mode: 'generic', project: 'doubled', target_url: `${receiver.url}/hook` });
  const job = await succeeded('doubled');
  await reconcileDeployments(context());
  const deliver = {
    ...createDelivery({ ...deployment, env: { ...deployment.env, PROMPTQ_CALL_PAUSES: [9, 9] } }),
    clock,
  };
  const delivery = { v: 1 as const, job: job.id, attempt: 1, binding: 'doubled.generic' };
  await Promise.all(Array.from({ length: 5 }, () => deliverCall(deliver, delivery)));
  expect((await deployment.deployments.list(job.id))[0]).toMatchObject({ state: 'pending', attempts: 1 });
  expect(receiver.to('/hook')).toHaveLength(1);
  await receiver.stop();
});

it('a job with all its records is not started again while its call waits for its next try', async () => {
  await bind({ binding_mode: 'generic', project: 'recorded', target_url: 'http://127.0.0.1:9/' });
  const job = await succeeded('recorded');
  const read: string[] = [];
  const readReceipt: typeof deployment.readReceipt = async (id, attempt) => {
    read.push(id);
    return await deployment.readReceipt(id, attempt);
  };
  await reconcileDeployments({ ...context(), readReceipt });
  expect(read.filter((id) => id === job.id)).toHaveLength(1);
  now += 1_000;
  // It did not see this success.
  await bind({ binding_mode: 'custom', project: 'recorded', name: 'later', command: 'true' });
  await reconcileDeployments({ ...context(), readReceipt });
  expect(read.filter((id) => id === job.id)).toHaveLength(1);
  now += 61_000;
  await sent();
  await reconcileDeployments({ ...context(), readReceipt });
  expect(read.filter((id) => id === job.id)).toHaveLength(1);
  expect((await sent()).calls).toContain(job.id);
  expect(await deployment.deployments.list(job.id)).toHaveLength(1);
});
