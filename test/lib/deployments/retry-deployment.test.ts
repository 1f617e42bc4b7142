import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import type { DeployBinding } from '../../../lib/bindings/deploy-binding.ts';
import { reconcileDeployments } from '../../../lib/deployments/reconcile-deployments.ts';
import { retryDeployment, reviveCall } from '../../../lib/deployments/retry-deployment.ts';
import { finishDeployments, newDeployment, unmarkIfDone } from '../../../lib/deployments/start-deployments.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aReceipt } from '../jobs/a-job.ts';

const ID = 'job_00000000000000000000000001';

async function bind(
  deployment: QuietDeployment,
  name: string,
  fields: Partial<DeployBinding> = {},
): Promise<DeployBinding> {
  const stored = await deployment.bindings.replace(undefined, {
    ...{ id: `local_project.${name}`, project_id: 'local_project', project: 'local_project', name },
    ...{ binding_mode: 'custom', command: 'true', secrets: [] },
    ...{ created_at: '2020-01-01T00:00:00.000Z', updated_at: '2020-01-01T00:00:00.000Z', ...fields },
  });
  if (stored === undefined) throw new Error('the binding was not stored');
  return stored;
}

/** The deployment with a queue of calls that only lists them, and what was sent to it. */
function withCalls(deployment: QuietDeployment) {
  const sent: object[] = [];
  const send = async (delivery: object) => void sent.push(delivery);
  const deliveries = Object.create(deployment.deliveries, { send: { value: send } }) as typeof deployment.deliveries;
  return { context: { ...deployment, deliveries }, sent };
}

/** Removes the job, as if it had been kept for long enough. */
async function remove({ jobs }: QuietDeployment, job: Job): Promise<void> {
  await jobs.apply(job, { ...job, removing: true });
  await jobs.remove(job.id);
}

const CALL = { binding_mode: 'generic', target_url: 'https://example.com/hook' } as const;

/** A success whose command has run, before that is recorded with the job. */
async function deployed(differences: Partial<Job> = {}) {
  const deployment = quietDeployment();
  const stored = await bind(deployment, 'publish');
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: ID });
  await deployment.output.putReceipt(receipt);
  const job = await deployment.store({
    ...{ id: ID, status: 'SUCCEEDED', reason: 'exited', attempt: 1, bindings_pending: [1] },
    finished_at: receipt.finished_at,
    ...differences,
  });
  const made = newDeployment(deployment, stored, { job, receipt });
  await deployment.deployments.replace(undefined, { ...made, state: 'succeeded', attempts: 1 });
  const read = async () => (await deployment.jobs.find(ID)) as Job;
  const command = async () => (await deployment.deployments.list(ID))[0] as JobDeployment;
  return { deployment, job, binding: stored.id, read, command };
}

it('a retry that meets the end of the deployment is marked as pending', async () => {
  const { deployment, job, binding, read, command } = await deployed();
  let isDone = false;
  const readReceipt: typeof deployment.readReceipt = async (...attempt) => {
    if (!isDone) await finishDeployments(deployment, job, 1);
    isDone = true;
    return await deployment.readReceipt(...attempt);
  };
  expect(await retryDeployment({ ...deployment, readReceipt }, job, binding)).toMatchObject({ state: 'pending' });
  expect(await command()).toMatchObject({ state: 'pending', attempts: 0 });
  expect((await read()).bindings_pending).toEqual([1]);
});

it.each([
  ['first', finishDeployments],
  ['last', unmarkIfDone],
])('the end of a deployment that meets a retry after its %s list leaves the mark', async (_, end) => {
  const { deployment, job, binding, read, command } = await deployed();
  const { deployments } = deployment;
  const list = deployments.list.bind(deployments);
  deployments.list = async (id) => {
    const all = await list(id);
    deployments.list = list;
    await retryDeployment(deployment, job, binding);
    return all;
  };
  await end(deployment, job, 1);
  expect(await command()).toMatchObject({ state: 'pending' });
  expect((await read()).bindings_pending).toEqual([1]);
});

it('a binding whose deployment a process had no time to create is deployed although another one is done', async () => {
  const { deployment, job, read } = await deployed();
  const missing = await bind(deployment, 'site');
  await finishDeployments(deployment, job, 1);
  expect((await read()).bindings_pending).toEqual([1]);
  await reconcileDeployments(deployment);
  const made = (await deployment.deployments.list(ID)).find(({ binding }) => binding === missing.id);
  expect(made).toMatchObject({ attempt: 1, state: 'pending' });
});

it('of two retries at the same time, one is rejected', async () => {
  const { deployment, job, binding, command } = await deployed();
  const both = [retryDeployment(deployment, job, binding), retryDeployment(deployment, job, binding)];
  const results = await Promise.allSettled(both);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await command()).toMatchObject({ state: 'pending', version: 2 });
});

it('what was never deployed is deployed by a retry, with its message, and marked as pending', async () => {
  const { deployment, job, binding, read } = await deployed({ bindings_pending: undefined });
  await bind(deployment, 'call', CALL);
  const { context, sent } = withCalls(deployment);
  const made = await retryDeployment(context, job, 'local_project.call');
  expect(made).toMatchObject({ name: 'call', attempt: 1, state: 'pending', attempts: 0, version: 1 });
  expect((await read()).bindings_pending).toEqual([1]);
  expect(sent).toEqual([{ job: ID, attempt: 1, binding: 'local_project.call' }]);
  expect(await retryDeployment(deployment, await read(), binding)).toMatchObject({ state: 'pending', version: 2 });
  expect(deployment.sent.at(-1)).toEqual({ job: ID, band: 'normal', seconds: 0 });
});

it('a retry of commands where none are run is skipped, and nothing is sent', async () => {
  const { deployment, job, binding } = await deployed();
  expect(await retryDeployment({ ...deployment, commands: false }, job, binding)).toMatchObject({ state: 'skipped' });
  expect(deployment.sent).toEqual([]);
});

const OTHER = { project_id: 'other', project: 'other' } as const;
const LATER = 'a later turn of its thread has worked in the folder since; deploy that turn';

it.each<[what: string, retried: { job?: Partial<Job>; binding?: Partial<DeployBinding>; id?: string }, why: string]>([
  ['a binding that does not exist', { id: 'local_project.none' }, 'not_found'],
  ['a binding of another project', { binding: OTHER }, 'not_found'],
  [
    'an incomplete binding',
    { binding: { command: undefined } },
    'the deploy binding local_project.again is inactive: check its fields ready and missing',
  ],
  ['the commands of an earlier turn', { job: { thread_id: ID } }, LATER],
  [
    'a job without the receipt of its attempt',
    { job: { attempt: 2 } },
    'the receipt of its newest attempt no longer exists',
  ],
  [
    'a job that failed',
    { job: { status: 'FAILED' }, binding: CALL },
    'only a SUCCEEDED job is deployed; this one is FAILED',
  ],
  ['a job that is being removed', { job: { removing: true } }, 'the job is being removed'],
])('a retry is refused: %s', async (_what, retried, why) => {
  const { deployment, job, read } = await deployed({ ...retried.job, bindings_pending: undefined });
  await bind(deployment, 'again', retried.binding);
  const later = { id: 'job_00000000000000000000000002', turn: 2, continues: ID } as const;
  await deployment.store({ ...later, thread_id: ID, status: 'RUNNING', reason: 'running', attempt: 1 });
  await deployment.threads.put(ID, { turn: 2, jobId: later.id });
  const details = { state: job.status, action: 'retry' };
  await expect(retryDeployment(deployment, job, retried.id ?? 'local_project.again')).rejects.toMatchObject({
    message: why,
    ...(why !== 'not_found' && { code: 'invalid_state', details }),
  });
  expect([(await read()).bindings_pending, deployment.sent]).toEqual([undefined, []]);
  expect(await deployment.deployments.list(ID)).toHaveLength(1);
});

it('a call is made again although a later turn has worked in the folder, but not while it is in progress', async () => {
  const { deployment, job } = await deployed({ thread_id: ID });
  const { id } = await bind(deployment, 'call', CALL);
  const later = { id: 'job_00000000000000000000000002', thread_id: ID, turn: 2, continues: ID, attempt: 1 };
  await deployment.store({ ...later, status: 'RUNNING', reason: 'running' });
  await deployment.threads.put(ID, { turn: 2, jobId: later.id });
  const { context } = withCalls(deployment);
  expect(await retryDeployment(context, job, id)).toMatchObject({ state: 'pending' });
  await expect(retryDeployment(context, job, id)).rejects.toThrow('the deploy binding is pending already');
});

it('a retry of a job that changed meanwhile is marked, of one that is gone there is nothing to retry', async () => {
  const { deployment, job, binding, read } = await deployed();
  await deployment.jobs.apply(job, { ...job, messages: 1 });
  expect(await retryDeployment(deployment, job, binding)).toMatchObject({ state: 'pending' });
  expect(await read()).toMatchObject({ version: 3, bindings_pending: [1] });
  const failed = await deployed();
  await remove(failed.deployment, failed.job);
  const { deployments } = failed.deployment;
  await expect(retryDeployment(failed.deployment, failed.job, failed.binding)).rejects.toThrow('job_not_found');
  expect(await deployments.list(ID)).toMatchObject([{ state: 'succeeded' }]);
});

it('a retry is tried again only while its job changes, up to ten times', async () => {
  const { deployment, job, binding, command } = await deployed();
  const known = await command();
  await deployment.deployments.replace(known, known);
  deployment.deployments.get = async () => known;
  const refused = { message: 'its deployment was changed concurrently; try again', code: 'invalid_state' };
  await expect(retryDeployment(deployment, job, binding)).rejects.toMatchObject(refused);
  expect(deployment.calls.filter((call) => call instanceof TransactWriteCommand)).toHaveLength(1);
  let tries = 0;
  deployment.jobs.applyWith = async (changed) => {
    tries += 1;
    return { applied: false, current: { ...changed, version: changed.version + 1 } };
  };
  await expect(retryDeployment(deployment, job, binding)).rejects.toMatchObject(refused);
  expect(tries).toBe(10);
});

it('a call that was given up is marked as pending although other reads lag behind', async () => {
  const deployment = quietDeployment({ lag: 60_000 });
  const job = await deployment.store({ id: ID, status: 'SUCCEEDED', reason: 'exited', attempt: 1 });
  const call = { job_id: ID, attempt: 1, binding: 'local_project.call', name: 'call', mode: 'generic' } as const;
  const times = { created_at: '2026-11-20T09:00:00.000Z', due_at: '2026-11-20T09:00:00.000Z' };
  const known = await deployment.deployments.replace(undefined, { ...call, ...times, state: 'failed', attempts: 9 });
  expect(known && (await reviveCall(deployment, known))).toMatchObject({ state: 'pending' });
  expect((await deployment.read(job))?.bindings_pending).toEqual([1]);
});

it('a call that was given up begins from its start, without what its last tries left', async () => {
  const { deployment, read } = await deployed({ bindings_pending: undefined });
  const call = { job_id: ID, attempt: 1, binding: 'local_project.call', name: 'call', mode: 'generic' } as const;
  const made = { ...call, created_at: '2026-11-20T09:00:00.000Z', payload: '{}' };
  const ended = { finished_at: '2026-11-20T09:10:00.000Z', error: 'Answered with status 500.', last_status: 500 };
  const due_at = '2026-11-20T09:09:00.000Z';
  const known = await deployment.deployments.replace(undefined, {
    ...made,
    ...ended,
    due_at,
    state: 'failed',
    attempts: 9,
  });
  if (known === undefined) throw new Error('the call was there already');
  const again = { ...made, state: 'pending', attempts: 0, due_at: '2026-11-20T10:00:00.000Z', version: 2 };
  expect(await reviveCall(deployment, known)).toEqual({ ...again, change_id: expect.any(String) });
  expect((await read()).bindings_pending).toEqual([1]);
  expect(await reviveCall(deployment, known)).toBeUndefined();
  await remove(deployment, await read());
  expect(await reviveCall(deployment, { ...known, version: 2 })).toBeUndefined();
  expect(await deployment.deployments.get(call)).toMatchObject({ version: 2 });
});
