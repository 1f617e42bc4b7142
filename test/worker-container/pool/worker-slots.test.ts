import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ReceivedMessage } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Outcome } from '../../../lib/jobs/receipts/receipt.ts';
import { Worker } from '../../../worker-container/pool/worker.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { aReceipt } from '../../lib/jobs/a-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';
import { workerContext } from './a-worker.ts';

const ID = 'job_00000000000000000000000001';
const folder = { make: async () => undefined, remove: async () => undefined };

/** An agent with this outcome, and what happens while it runs. */
function agent(outcome: Partial<Outcome> & Pick<Outcome, 'kind' | 'reason'>, meanwhile = () => undefined as unknown) {
  const runAgent = async () => {
    meanwhile();
    return {
      record: aReceipt(outcome),
      ...{ sources: {}, attachments: [], dispose: async () => undefined },
    };
  };
  return { machine: { folder, runAgent } };
}

/** A worker that gets these messages and is then stopped; by default one for a stored job. */
async function workerOf(changes: object = {}, messages?: readonly ReceivedMessage[]) {
  const deployment = quietDeployment();
  const pauses: number[] = [];
  const schedule = (run: () => void, delay: number) => {
    pauses.push(delay);
    const due = setImmediate(run);
    return () => clearImmediate(due);
  };
  await deployment.dispatchQueues.send(await deployment.store({ id: ID, retries: 1 }));
  const held = await deployment.dispatchQueues.receive('normal', 0);
  const waiting = [...(messages ?? (held === undefined ? [] : [held]))];
  const draining = new AbortController();
  const next = async () => {
    const message = waiting.shift();
    if (message === undefined) draining.abort();
    return message;
  };
  const timing = { now: () => deployment.time.now, schedule };
  const context = workerContext(deployment, { source: { next }, timing, ...changes });
  const worker = new Worker(context, { draining: draining.signal, stopping: new AbortController().signal });
  return { deployment, worker, pauses, read: async () => await deployment.read({ id: ID }) };
}

it('a worker shows which job it runs, and is not idle meanwhile', async () => {
  const seen: unknown[] = [];
  const changed: string[] = [];
  const { worker } = await workerOf({
    ...agent({ kind: 'succeeded', reason: 'exited' }, () => seen.push(worker.running, worker.idleSince)),
    onChange: (id: string) => changed.push(id),
  });
  vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await worker.run(1);
  expect(seen).toEqual([[ID], 0]);
  // When it is claimed, and when its end is reported.
  expect(changed).toEqual([ID, ID]);
  vi.spyOn(performance, 'now').mockReturnValue(1_000_700);
  expect([worker.running, worker.idleSince]).toEqual([[], 700]);
});

it('a worker shows the job whose commands it runs', async () => {
  const seen: unknown[] = [];
  const message = { v: 1, band: 'normal', project: 'local_project', job: ID, deploy: true } as const;
  const { worker, deployment } = await workerOf({}, [{ message, handle: '', receives: 1 }]);
  const get = deployment.jobs.get.bind(deployment.jobs);
  deployment.jobs.get = async (...asked) => {
    seen.push(worker.running);
    return await get(...asked);
  };
  await worker.run(1);
  expect([seen[0], worker.running]).toEqual([[ID], []]);
});

it('a slot that fails waits for a second before it receives again', async () => {
  const message = { v: 1, band: 'normal', project: 'local_project', job: ID, deploy: true } as const;
  const acknowledge = async () => await Promise.reject(new Error('the queue does not answer'));
  const { worker, pauses } = await workerOf({ dispatchQueues: { acknowledge } }, [
    { message, handle: '', receives: 1 },
  ]);
  await worker.run(1);
  expect(pauses).toEqual([1_000]);
});

it.each([
  ['was handed back', { kind: 'handed_back', reason: 'waiting_for_worker' }, 1],
  ['waits to be retried', { kind: 'failed', reason: 'agent_error' }, 0],
  ['has ended', { kind: 'succeeded', reason: 'exited' }, 0],
] as const)('a job that %s is followed by so many pauses', async (_, outcome, count) => {
  const { worker, pauses, read } = await workerOf(agent(outcome));
  await worker.run(1);
  expect(await read()).toMatchObject({ attempt: 1 });
  expect(pauses.filter((delay) => delay === 5_000)).toHaveLength(count);
});

describeAsRoot('a worker with accounts', () => {
  it('removes what a job has left in the temporary folders of the machine before it takes another one', async () => {
    const accounts = newAccounts(1);
    const [account] = accounts.slots as [ServiceAccount];
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
    await new Worker(workerContext(quietDeployment(), { accounts, source: { next } }), signals).run(1);
    await rm(left, { recursive: true, force: true });
    expect(found).not.toContain(basename(left));
  });
});

it('an old message that finds no job is counted and acknowledged; a young one is neither', async () => {
  const told: object[] = [];
  const acknowledged: string[] = [];
  const held = (handle: string, sentAt: number): ReceivedMessage => ({
    message: { v: 1, band: 'high', project: 'nobody', job: 'job_unknown' },
    ...{ handle, receives: 5, sentAt },
  });
  const now = 1_800_000_000_000;
  const dispatchQueues = {
    acknowledgeAll: async (_: string, handled: ReceivedMessage[]) =>
      void acknowledged.push(...handled.map(({ handle }) => handle)),
    retryLater: async () => undefined,
  };
  const { worker } = await workerOf(
    { dispatchQueues, clock: { now: () => now }, emitMetrics: (values: object) => told.push(values) },
    [held('young', now), held('old', now - 60_000)],
  );
  await worker.run(1);
  expect(acknowledged).toEqual(['old']);
  expect(told).toEqual([{ PermitsDropped: 1 }]);
});
