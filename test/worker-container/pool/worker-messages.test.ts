import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import type { DeployBinding } from '../../../lib/deployments/bindings/deploy-binding.ts';
import type { ReceivedMessage } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import { Worker } from '../../../worker-container/pool/worker.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { workerContext } from './a-worker.ts';

const ID = 'job_00000000000000000000000001';

/** A worker that gets the message in the queue, and is then stopped. @param last stopped together with it. */
async function worker(
  deployment: QuietDeployment,
  { last = false, changes = {}, draining = new AbortController() } = {},
): Promise<Worker> {
  const next = async (): Promise<ReceivedMessage | undefined> => {
    const held = await deployment.dispatchQueues.receive('normal', 0);
    if (held === undefined || last) draining.abort();
    return held;
  };
  const context = workerContext(deployment, { source: { next }, ...changes });
  const { signal } = new AbortController();
  const made = new Worker(context, { draining: draining.signal, stopping: signal });
  await made.run(1);
  return made;
}

/** The receive count of the next message, or undefined if there is none. */
const received = async (deployment: QuietDeployment) =>
  (await deployment.dispatchQueues.receive('normal', 0))?.receives;

it('runs the job of a dispatch message, and deletes the message', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store({ id: ID });
  await deployment.dispatchQueues.send(job);
  const { running } = await worker(deployment);
  expect(await deployment.read(job)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  expect(running).toEqual([]);
  await deployment.pass(60_000);
  expect(await received(deployment)).toBeUndefined();
});

it('releases a dispatch message at once that arrives while it stops', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store({ id: ID });
  await deployment.dispatchQueues.send(job);
  await worker(deployment, { last: true });
  expect(await deployment.read(job)).toMatchObject({ status: 'QUEUED' });
  expect(await received(deployment)).toBe(2);
});

it('returns a dispatch message that finds no job a few times, and then deletes it', async () => {
  const deployment = quietDeployment();
  await deployment.dispatchQueues.send({ id: ID, project_id: 'p', priority: 0 });
  for (let receive = 1; receive <= 5; receive += 1) {
    await worker(deployment);
    await deployment.pass(2_900);
    expect(await received(deployment)).toBeUndefined();
    await deployment.pass(receive < 5 ? 200 : 60_000);
  }
  expect(await received(deployment)).toBeUndefined();
});

const AT = { created_at: '2026-11-20T09:00:00.000Z', updated_at: '2026-11-20T09:00:00.000Z' };
const BINDING: DeployBinding = {
  ...{ id: 'b', project_id: 'local_project', project: 'local_project', name: 'ci', version: 1, secrets: [], ...AT },
  ...{ binding_mode: 'custom', command: 'true' },
};
/** The binding is deleted before its commands begin: the worker reports them as skipped. */
const bindings = { list: async () => [BINDING], get: async () => undefined };

/** The binding's commands are skipped, and the message is deleted. */
async function expectSkipped(deployment: QuietDeployment): Promise<void> {
  const { running } = await worker(deployment, { changes: { bindings } });
  expect(await deployment.deployments.list(ID)).toMatchObject([{ binding: 'b', state: 'skipped' }]);
  expect((await deployment.read({ id: ID }))?.bindings_pending).toBeUndefined();
  expect(running).toEqual([]);
  await deployment.pass(60_000);
  expect(await received(deployment)).toBeUndefined();
}

it('runs the commands of bindings after a success', async () => {
  const deployment = quietDeployment();
  await deployment.dispatchQueues.send(await deployment.store({ id: ID }));
  await expectSkipped(deployment);
});

it('runs the commands of bindings for a deploy message', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store({
    ...{ id: ID, status: 'SUCCEEDED', reason: 'exited', attempt: 1, bindings_pending: [1] },
  });
  const { created_at } = AT;
  const pending = {
    name: 'ci',
    mode: 'custom',
    state: 'pending',
    attempts: 0,
    created_at,
    due_at: created_at,
  } as const;
  await deployment.deployments.replace(undefined, { job_id: ID, attempt: 1, binding: 'b', ...pending });
  await deployment.dispatchQueues.send(job, { deploy: true });
  await expectSkipped(deployment);
});

it('checks the running jobs once for all messages that come back without work within 3 s', async () => {
  const deployment = quietDeployment();
  const { id: job, project_id: project } = await deployment.store({ id: ID, status: 'SUCCEEDED', reason: 'exited' });
  const late = { message: { v: 1, band: 'normal', project, job } as const, handle: '', receives: 9 };
  const draining = new AbortController();
  const sources = [late, late, late];
  const next = async () => {
    const message = sources.pop();
    if (message === undefined) draining.abort();
    return message;
  };
  await worker(deployment, { draining, changes: { source: { next } } });
  const checks = deployment.calls.filter(
    (call) => call instanceof QueryCommand && JSON.stringify(call.input.ExpressionAttributeValues).includes('RUNNING'),
  );
  const partitions = new Set(checks.map((call) => JSON.stringify((call as QueryCommand).input)));
  expect(checks.length).toBeGreaterThan(0);
  expect(checks).toHaveLength(partitions.size);
});
