import { expect, it } from 'vitest';
import type { DeployBinding } from '../../../lib/deployments/bindings/deploy-binding.ts';
import { reconcileDeployments } from '../../../lib/deployments/reconcile-deployments.ts';
import { retryDeployment } from '../../../lib/deployments/retry-deployment.ts';
import { finishDeployments, newDeployment, unmarkIfDone } from '../../../lib/deployments/start-deployments.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aReceipt } from '../jobs/a-job.ts';

const ID = 'job_00000000000000000000000001';

async function bind(deployment: QuietDeployment, name: string): Promise<DeployBinding> {
  const stored = await deployment.bindings.replace(undefined, {
    ...{ id: `local_project.${name}`, project_id: 'local_project', project: 'local_project', name },
    ...{ binding_mode: 'custom', command: 'true', secrets: [] },
    ...{ created_at: '2020-01-01T00:00:00.000Z', updated_at: '2020-01-01T00:00:00.000Z' },
  });
  if (stored === undefined) throw new Error('the binding was not stored');
  return stored;
}

/** A success whose command has run, before that is recorded with the job. */
async function deployed() {
  const deployment = quietDeployment();
  const stored = await bind(deployment, 'publish');
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: ID });
  await deployment.output.putReceipt(receipt);
  const job = await deployment.store({
    ...{ id: ID, status: 'SUCCEEDED', reason: 'exited', attempt: 1, bindings_pending: [1] },
    finished_at: receipt.finished_at,
  });
  const made = newDeployment(deployment, stored, { job, receipt });
  await deployment.deployments.replace(undefined, { ...made, state: 'succeeded', attempts: 1 });
  const read = async () => (await deployment.jobs.find(ID)) as Job;
  const command = async () => (await deployment.deployments.list(ID))[0] as JobDeployment;
  return { deployment, job, binding: stored.id, read, command };
}

it('where bindings run no commands, those that call are still deployed', async () => {
  const deployment = quietDeployment();
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: ID });
  const job = await deployment.store({ id: ID, status: 'SUCCEEDED', reason: 'exited', attempt: 1 });
  const custom = await bind(deployment, 'publish');
  const generic = { ...custom, binding_mode: 'generic', target_url: 'https://example.com/hook' } as const;
  const made = [custom, generic].map((binding) =>
    newDeployment({ ...deployment, commands: false }, binding, { job, receipt }),
  );
  expect(made.map(({ state }) => state)).toEqual(['skipped', 'pending']);
  expect(newDeployment({ ...deployment, commands: true }, custom, { job, receipt }).state).toBe('pending');
});

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
