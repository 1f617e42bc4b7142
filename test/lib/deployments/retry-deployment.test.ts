import { expect, it } from 'vitest';
import type { DeployBinding } from '../../../lib/bindings/deploy-binding.ts';
import { retryDeployment } from '../../../lib/deployments/retry-deployment.ts';
import { finishDeployments, newDeployment, unmarkIfDone } from '../../../lib/deployments/start-deployments.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import { attemptsDue } from '../../../lib/jobs/lifecycle/effects.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { runDueEffects } from '../../../lib/reconciler/after-attempt.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aReceipt } from '../jobs/a-job.ts';
import { due } from '../jobs/due-effects.ts';

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

const CALL = { binding_mode: 'generic', target_url: 'https://example.com/hook' } as const;

/** A success whose command has run, before that is recorded with the job. */
async function deployed(differences: Partial<Job> = {}) {
  const deployment = quietDeployment();
  const stored = await bind(deployment, 'publish');
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: ID });
  await deployment.output.putReceipt(receipt);
  const job = await deployment.store({
    ...{ id: ID, status: 'SUCCEEDED', reason: 'exited', attempt: 1, effects: due({ commands: [1] }) },
    finished_at: receipt.finished_at,
    ...differences,
  });
  const made = newDeployment(deployment, stored, { job, receipt });
  await deployment.deployments.replace(undefined, { ...made, state: 'succeeded', attempts: 1 });
  const read = async () => (await deployment.jobs.find(ID)) as Job;
  const command = async () => (await deployment.deployments.list(ID))[0] as JobDeployment;
  return { deployment, job, binding: stored.id, read, command };
}

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
  const { deployment, job, read } = await deployed({ ...retried.job, effects: undefined });
  await bind(deployment, 'again', retried.binding);
  const later = { id: 'job_00000000000000000000000002', turn: 2, continues: ID } as const;
  await deployment.store({ ...later, thread_id: ID, status: 'RUNNING', reason: 'running', attempt: 1 });
  await deployment.threads.put(ID, { turn: 2, jobId: later.id });
  const details = { state: job.status, action: 'retry' };
  await expect(retryDeployment(deployment, job, retried.id ?? 'local_project.again')).rejects.toMatchObject({
    message: why,
    ...(why !== 'not_found' && { code: 'invalid_state', details }),
  });
  expect([(await read()).effects, deployment.sent]).toEqual([undefined, []]);
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

it('a retry that meets the end of the same deployment is made', async () => {
  const { deployment, job, binding, read, command } = await deployed();
  let isDone = false;
  const readReceipt: typeof deployment.readReceipt = async (...attempt) => {
    if (!isDone) await finishDeployments(deployment, job, await command());
    isDone = true;
    return await deployment.readReceipt(...attempt);
  };
  expect(await retryDeployment({ ...deployment, readReceipt }, job, binding)).toMatchObject({ state: 'pending' });
  expect(attemptsDue(await read(), 'commands')).toEqual([1]);
});

it('the end of a deployment that is retried while its deployments are read leaves it to be made', async () => {
  const { deployment, job, binding, read, command } = await deployed();
  const list = deployment.deployments.list.bind(deployment.deployments);
  deployment.deployments.list = async (id) => {
    const all = await list(id);
    deployment.deployments.list = list;
    await retryDeployment(deployment, job, binding);
    return all;
  };
  await unmarkIfDone(deployment, job, 1, 'commands');
  expect(await command()).toMatchObject({ state: 'pending' });
  expect(attemptsDue(await read(), 'commands')).toEqual([1]);
});

it('a binding whose deployment a process had no time to create is deployed although another one is done', async () => {
  const { deployment, job, read, command } = await deployed();
  await bind(deployment, 'site');
  await finishDeployments(deployment, job, await command());
  expect(attemptsDue(await read(), 'commands')).toEqual([1]);
  await runDueEffects(deployment);
  expect(await deployment.deployments.list(ID)).toMatchObject([{ state: 'succeeded' }, { state: 'pending' }]);
});
