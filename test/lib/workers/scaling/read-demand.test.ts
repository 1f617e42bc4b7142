import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { AccountStore } from '../../../../lib/accounts/account-store.ts';
import { DeployBindingStore } from '../../../../lib/deployments/bindings/deploy-binding-store.ts';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { BUSY_REASONS, PARK_REASONS } from '../../../../lib/jobs/lifecycle/parking.ts';
import { JobIndex } from '../../../../lib/jobs/store/job-index.ts';
import { readWaiting } from '../../../../lib/reconciler/reconcile-jobs.ts';
import { starvingBands } from '../../../../lib/reconciler/starving-bands.ts';
import { countedState, JobCounts } from '../../../../lib/stats/counting/counts.ts';
import { readDemand } from '../../../../lib/workers/scaling/read-demand.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

const DUE = '2036-11-20T10:00:00.000Z';

/** A deployment whose jobs are counted as they are stored. */
function countingDeployment() {
  const deployment = quietDeployment();
  const { table, env, clock, calls } = deployment;
  const registry = { table, registryTable: env.REGISTRY_TABLE, clock };
  const counts = new JobCounts(registry);
  let sequence = 0;
  const store = async (differences: readonly (Partial<Job> & Pick<Job, 'id'>)[]) => {
    const changes = [];
    for (const one of differences) {
      const job = await deployment.store(one);
      sequence += 1;
      changes.push({
        sequence: String(sequence),
        before: undefined,
        after: countedState({ ...job, ...indexKeys(job) }),
      });
    }
    await counts.apply('shard', changes);
  };
  /** Of each reason as many. */
  const park = async (each: number, name: string) =>
    await store(
      [...PARK_REASONS, ...BUSY_REASONS].flatMap((reason) =>
        Array.from({ length: each }, (_, at) => {
          const id = jobIdOfKey(`${name} ${reason} ${at}`);
          return { id, reason, parked: reason, due_at: DUE, ...(reason === 'folder_busy' && { folder: 'folder-a' }) };
        }),
      ),
    );
  const demand = {
    ...deployment,
    counts,
    bindings: new DeployBindingStore(registry),
    accounts: new AccountStore({ ...registry, world: 'practice' }),
    vendors: [],
    commands: true,
  };
  /** What `read` results in, and how many queries it makes. */
  const queriesOf = async <T>(read: () => Promise<T>) => {
    calls.length = 0;
    const result = await read();
    return { result, queries: calls.filter((call) => call instanceof QueryCommand).length };
  };
  return { ...deployment, counts, store, park, queriesOf, readDemand: () => readDemand(demand, 10) };
}

it('jobs parked for their vendor, a folder or a profile cost a decision the same reads however many they are', async () => {
  const deployment = countingDeployment();
  await deployment.park(1, 'few');
  const few = await deployment.queriesOf(deployment.readDemand);
  expect(few.result).toMatchObject({ waiting: 0 });
  const bands = await deployment.queriesOf(() => starvingBands(deployment));
  expect(bands.result).toEqual([]);
  await deployment.park(500, 'many');
  expect(await deployment.queriesOf(deployment.readDemand)).toEqual(few);
  expect(await deployment.queriesOf(() => starvingBands(deployment))).toEqual(bands);
  await deployment.store([{ id: 'job_ready' }]);
  expect(await deployment.readDemand()).toMatchObject({ waiting: 1 });
});

it('jobs that are not due are no demand', async () => {
  const deployment = countingDeployment();
  await deployment.store([{ id: 'job_pauses', reason: 'retry_backoff', due_at: DUE }, { id: 'job_ready' }]);
  expect(await deployment.readDemand()).toMatchObject({ waiting: 1 });
});

it('parked jobs are found by the reconciler, and listed and counted as QUEUED', async () => {
  const deployment = countingDeployment();
  await deployment.park(1, 'few');
  const waiting = await readWaiting(deployment);
  expect({ folders: [...waiting.folders], profiles: [...waiting.profiles] }).toEqual({
    folders: ['folder-a'],
    profiles: ['practice'],
  });
  expect(await deployment.counts.read()).toMatchObject({ QUEUED: 4 });
  const { JOBS_TABLE: jobsTable, REGISTRY_TABLE: registryTable } = deployment.env;
  const index = new JobIndex({ table: deployment.table, jobsTable, registryTable });
  const page = await index.page({ status: 'QUEUED', limit: 10, offset: 0, cursor: undefined });
  expect(page.items).toHaveLength(4);
});
