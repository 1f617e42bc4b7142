import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { Worker } from '../../../worker-container/pool/worker.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';
import { workerContext } from './a-worker.ts';

const ID = 'job_00000000000000000000000001';

/** Runs a worker until the queue is empty. @param last it is stopped when it gets its first message */
async function work(deployment: QuietDeployment, { last = false, changes = {} } = {}): Promise<void> {
  const draining = new AbortController();
  const next = async () => {
    const held = await deployment.dispatchQueues.receive('normal', 0);
    if (held === undefined || last) draining.abort();
    return held;
  };
  const context = workerContext(deployment, { source: { next }, ...changes });
  await new Worker(context, { draining: draining.signal, stopping: new AbortController().signal }).run(1);
}

/** The receive count of the next message, or undefined if there is none. */
const received = async (deployment: QuietDeployment) =>
  (await deployment.dispatchQueues.receive('normal', 0))?.receives;

it('a worker that stops returns a message that it has just got', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store({ id: ID });
  await deployment.dispatchQueues.send(job);
  await work(deployment, { last: true });
  expect(await deployment.read(job)).toMatchObject({ status: 'QUEUED' });
  expect(await received(deployment)).toBe(2);
});

it('a message that finds no job is tried again for a while, then deleted and counted', async () => {
  const deployment = quietDeployment();
  const counted: object[] = [];
  const changes = { emitMetrics: (values: object) => counted.push(values) };
  await deployment.dispatchQueues.send({ id: ID, project_id: 'p', priority: 0 });
  for (let receive = 1; receive <= 5; receive += 1) {
    await work(deployment, { changes });
    expect(counted).toEqual(receive < 5 ? [] : [{ PermitsDropped: 1 }]);
    await deployment.pass(2_900);
    expect(await received(deployment)).toBeUndefined();
    await deployment.pass(receive < 5 ? 200 : 60_000);
  }
  expect(await received(deployment)).toBeUndefined();
});

it('a handled message is deleted although no other one follows it', async () => {
  const deployment = quietDeployment();
  await deployment.dispatchQueues.send({ id: ID, project_id: 'p', priority: 0 });
  const draining = new AbortController();
  const receives: number[] = [];
  let hours = 0;
  const next = async () => {
    const held = await deployment.dispatchQueues.receive('normal', 0);
    if (held !== undefined) receives.push(held.receives);
    if (held === undefined && receives.length >= 5) hours += 1;
    await deployment.pass(hours === 0 ? 3_100 : 3_600_000);
    if (hours === 2) draining.abort();
    return held;
  };
  const context = workerContext(deployment, { source: { next }, emitMetrics: () => undefined });
  await new Worker(context, { draining: draining.signal, stopping: new AbortController().signal }).run(1);
  expect(receives).toEqual([1, 2, 3, 4, 5]);
});

describeAsRoot('a worker with accounts', () => {
  it('removes what a job has left in the temporary folders of the machine before it takes another one', async () => {
    const accounts = newAccounts(1);
    const [account] = accounts.slots as [ServiceAccount];
    const left = await mkdtemp('/tmp/left-by-a-job-');
    await chown(left, account.uid, account.gid);
    let found: string[] = [];
    const deployment = quietDeployment();
    const receive = deployment.dispatchQueues.receive.bind(deployment.dispatchQueues);
    deployment.dispatchQueues.receive = async (...given) => {
      found = await readdir('/tmp');
      return await receive(...given);
    };
    await work(deployment, { changes: { accounts } });
    await rm(left, { recursive: true, force: true });
    expect(found).not.toContain(basename(left));
  });
});
