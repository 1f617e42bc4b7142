import { expect, it } from 'vitest';
import { reconcileDeployments } from '../../../lib/deployments/reconcile-deployments.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const IDS = ['job_00000000000000000000000001', 'job_00000000000000000000000002'] as const;

it('a worker that registers while reconcile-jobs runs is not taken for lost', async () => {
  const deployment = quietDeployment();
  const { clock, workers, deployments } = deployment;
  const at = timestamp(clock.now());
  const runOn = async (job: Job, worker_id: string) =>
    await deployments.replace(undefined, {
      ...{ job_id: job.id, attempt: 1, binding: 'local_project.publish', name: 'publish', mode: 'custom' },
      ...{ state: 'running', attempts: 1, created_at: at, due_at: at, started_at: at, worker_id },
      ends_by: timestamp(clock.now() + 3_600_000),
    });
  const [first, second] = await Promise.all(
    IDS.map((id) =>
      deployment.store({
        id,
        status: 'SUCCEEDED',
        reason: 'exited',
        attempt: 1,
        bindings_pending: [1],
        finished_at: at,
      }),
    ),
  );
  if (first === undefined || second === undefined) throw new Error('the jobs were not stored');
  const register = async (id: string) =>
    await workers.register({ id, host: '', version: '0', concurrency: 1, running: [], started_at: at });
  await register('other');
  await runOn(first, 'gone');
  async function* partition() {
    yield first as Job;
    await register('new');
    await runOn(second as Job, 'new');
    yield second as Job;
  }
  await reconcileDeployments({ ...deployment, partition });
  const states = async ({ id }: Job) => (await deployments.list(id)).map(({ state }: JobDeployment) => state);
  expect(await states(first)).toEqual(['failed']);
  expect(await states(second)).toEqual(['running']);
});
