import { randomUUID } from 'node:crypto';
import { ECSClient } from '@aws-sdk/client-ecs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { AccountStore } from '../accounts/account-store.ts';
import { DeployBindingStore } from '../bindings/deploy-binding-store.ts';
import { JobCounts } from '../counters/counts.ts';
import { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import { jobsByStatus } from '../jobs/dispatch/jobs-by-status.ts';
import { readyPartition } from '../jobs/store/ready-partition.ts';
import { readParameter } from '../platform/aws/parameters.ts';
import { requestLimits } from '../platform/aws/request-limits.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import type { ScaleEnv } from '../platform/config/function-env.ts';
import { emitMetrics } from '../platform/operations/emit-metrics.ts';
import { registryOf } from '../platform/registry.ts';
import { LiveWorkers } from '../workers/live-workers.ts';
import { type DemandContext, readDemand } from '../workers/scaling/read-demand.ts';
import type { ScaleContext } from '../workers/scaling/scale-workers.ts';
import { ScalingStore } from '../workers/scaling/scaling-store.ts';
import { buildOf, WorkerTasks } from '../workers/scaling/worker-tasks.ts';

/** Dependencies for deciding about workers and launching them. */
export function createScaling(from: {
  readonly env: ScaleEnv;
  readonly table: DynamoDBDocumentClient;
  readonly clock: Clock;
}): Omit<ScaleContext, 'log'> {
  const { env, table, clock } = from;
  const registry = registryOf(from);
  const demand: DemandContext = {
    clock,
    counts: new JobCounts(registry),
    byStatus: jobsByStatus(table, env.JOBS_TABLE),
    partition: readyPartition(table, env.JOBS_TABLE),
    bindings: new DeployBindingStore(registry),
    deployments: new JobDeploymentStore(registry),
    accounts: new AccountStore({ ...registry, world: env.PROMPTQ_VENDOR }),
    vendors: env.PROMPTQ_ACCOUNT_VENDORS,
    commands: env.PROMPTQ_DEPLOY_COMMANDS,
  };
  return {
    clock,
    emitMetrics,
    readDemand: async (enough) => await readDemand(demand, enough),
    scaling: new ScalingStore(registry),
    workers: new LiveWorkers(registry),
    // A burst of launches reaches RunTask's rate limit: the client then waits and continues.
    tasks: new WorkerTasks(new ECSClient({ maxAttempts: 6, retryMode: 'adaptive', requestHandler: requestLimits() }), {
      cluster: env.WORKER_CLUSTER,
      subnets: env.WORKER_SUBNETS,
      securityGroup: env.WORKER_SECURITY_GROUP,
      hasPublicAddress: env.WORKER_PUBLIC_ADDRESSES,
    }),
    settings: {
      maxWorkers: env.PROMPTQ_MAX_WORKERS,
      concurrency: env.PROMPTQ_CONCURRENCY,
      spotWeight: env.PROMPTQ_SPOT_WEIGHT,
      warmWorkers: env.PROMPTQ_WARM_WORKERS,
    },
    wantedBuild: async () => await readBuild(env.WORKER_BUILD_PARAMETER),
    newToken: randomUUID,
  };
}

/** @throws Error if the parameter does not exist: no worker could be started without it */
async function readBuild(parameter: string): Promise<string> {
  const taskDefinition = await readParameter(parameter);
  if (taskDefinition === undefined) throw new Error(`the parameter ${parameter} is missing; deploy the stacks again`);
  return buildOf(taskDefinition);
}
