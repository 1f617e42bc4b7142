import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ECSClient } from '@aws-sdk/client-ecs';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { AccountStore } from '../accounts/account-store.ts';
import { BindingSecretStore } from '../bindings/binding-secrets.ts';
import { DeployBindingStore } from '../bindings/deploy-binding-store.ts';
import { ProfileStore } from '../catalog/profiles.ts';
import { RuleStore } from '../catalog/rules.ts';
import { JobCounts } from '../counters/counts.ts';
import { DeliveryQueue } from '../deployments/calls/delivery-queue.ts';
import { DiagramStore } from '../diagrams/diagram-store.ts';
import { readyIndex } from '../jobs/admission/claim.ts';
import { ProbeStore } from '../jobs/admission/probes.ts';
import { SlotStore } from '../jobs/admission/slots.ts';
import { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import { DispatchQueues, queueUrls } from '../jobs/dispatch/dispatch-queues.ts';
import { jobsByStatus } from '../jobs/dispatch/jobs-by-status.ts';
import type { Folders } from '../jobs/lifecycle/working-folder.ts';
import { AgentSessionStore } from '../jobs/output/agent-sessions/agent-session-store.ts';
import { AttachmentStore } from '../jobs/output/attachments/attachment-store.ts';
import { OutputStore } from '../jobs/output/output-store.ts';
import type { StreamName } from '../jobs/receipts/receipt.ts';
import { JobStore } from '../jobs/store/job-store.ts';
import { JobTextStore } from '../jobs/store/job-texts.ts';
import { readyPartition } from '../jobs/store/ready-partition.ts';
import { ThreadStore } from '../jobs/threads/thread-store.ts';
import { TreeStore } from '../jobs/trees/tree-store.ts';
import { WorkerSignals } from '../live/worker-signals.ts';
import type { TableClient } from '../platform/aws/clients.ts';
import { readParameter } from '../platform/aws/parameters.ts';
import { requestLimits } from '../platform/aws/request-limits.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { tableOutage } from '../platform/aws/table-outage.ts';
import type { DeliverEnv, ScaleEnv, TriggerEnv } from '../platform/config/function-env.ts';
import { readGrants } from '../platform/config/granted-folders.ts';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import { emitMetrics } from '../platform/operations/emit-metrics.ts';
import { registryOf } from '../platform/registry.ts';
import { SharedLocks } from '../platform/shared-lock.ts';
import { ProjectSettingsStore } from '../projects/project-settings.ts';
import { ProjectStore } from '../projects/projects.ts';
import { LiveWorkers } from '../workers/live-workers.ts';
import { type DemandContext, readDemand } from '../workers/scaling/read-demand.ts';
import type { ScaleContext } from '../workers/scaling/scale-workers.ts';
import { ScalingStore } from '../workers/scaling/scaling-store.ts';
import { buildOf, WorkerTasks } from '../workers/scaling/worker-tasks.ts';

/*
 * The stores and clients of a process: first those that routes, triggers and workers share, then those of each purpose:
 * deployments, signed calls, claims and reconciliation, launches of workers. They are separate functions, so that a
 * bundle holds only those that its trigger calls.
 */

/** A process's settings, as far as `Names` says. */
interface Settings<Names extends keyof TriggerEnv> {
  readonly env: Pick<TriggerEnv, Names>;
}
interface Table {
  readonly table: DynamoDBDocumentClient;
}
interface Objects {
  readonly objects: S3Client;
}

export function createJobStore({
  table,
  clock,
  env,
}: Table & { readonly clock: Clock } & Settings<'JOBS_TABLE' | 'REGISTRY_TABLE'>): JobStore {
  return new JobStore(table, env.JOBS_TABLE, new WorkerSignals(registryOf({ table, clock, env })));
}

export function createTexts({
  table,
  objects,
  env,
}: Table & Objects & Settings<'REGISTRY_TABLE' | 'OUTPUT_BUCKET'>): JobTextStore {
  return new JobTextStore({ table, registryTable: env.REGISTRY_TABLE, objects, bucket: env.OUTPUT_BUCKET });
}

export function createDispatchQueues({
  queues,
  env,
}: Settings<'QUEUE_URL_HIGH' | 'QUEUE_URL_NORMAL' | 'QUEUE_URL_LOW'> & {
  readonly queues: SQSClient;
}): DispatchQueues {
  return new DispatchQueues(queues, queueUrls(env));
}

export function createOutputStore({ objects, env }: Objects & Settings<'OUTPUT_BUCKET'>): OutputStore {
  return new OutputStore(objects, env.OUTPUT_BUCKET);
}

/** The roots of the folders that jobs work in. */
export function createFolders({
  env,
}: Settings<'PROMPTQ_WORKSPACES' | 'PROMPTQ_TEMP' | 'PROMPTQ_ALLOWED_ROOTS' | 'PROMPTQ_GRANTED_FOLDERS'>): Folders {
  const { PROMPTQ_WORKSPACES: workspaces, PROMPTQ_GRANTED_FOLDERS: file } = env;
  const roots = [env.PROMPTQ_TEMP, ...env.PROMPTQ_ALLOWED_ROOTS];
  if (file === undefined) return { workspaces, roots };
  return {
    workspaces,
    // A folder may be granted at any time.
    get roots() {
      return [...roots, ...readGrants(file).here];
    },
    howToAllow: 'start the service with --allow FOLDER, or use `promptq run --here` in the folder',
  };
}

/** What deployments need, beyond what changes jobs. */
export function createDeployments(from: {
  readonly env: Pick<
    TriggerEnv,
    | 'JOBS_TABLE'
    | 'REGISTRY_TABLE'
    | 'QUEUE_URL_DELIVERIES'
    | 'PROMPTQ_DEPLOY_COMMANDS'
    | 'PROMPTQ_PUBLIC_ORIGIN'
    | 'PROMPTQ_LINK_ORIGIN'
  >;
  readonly table: DynamoDBDocumentClient;
  readonly queues: SQSClient;
}) {
  const { env, table, queues } = from;
  const registry = { table, registryTable: env.REGISTRY_TABLE, jobsTable: env.JOBS_TABLE };
  return {
    bindings: new DeployBindingStore(registry),
    deployments: new JobDeploymentStore(registry),
    deliveries: new DeliveryQueue(queues, env.QUEUE_URL_DELIVERIES),
    commands: env.PROMPTQ_DEPLOY_COMMANDS,
    publicUrl: env.PROMPTQ_LINK_ORIGIN ?? env.PROMPTQ_PUBLIC_ORIGIN,
  };
}

/** Creates the service that makes signed calls. */
export function createDelivery(from: TableClient & { readonly env: DeliverEnv; readonly queues: SQSClient }) {
  const { env, clock } = from;
  return {
    ...createDeployments(from),
    jobs: createJobStore(from),
    dispatchQueues: createDispatchQueues(from),
    clock,
    random: Math.random,
    secrets: new BindingSecretStore(registryOf(from)),
    reach: { loopback: env.PROMPTQ_CALLS_TO_LOOPBACK },
    pauses: env.PROMPTQ_CALL_PAUSES,
  };
}

/** The dependencies of processes that claim jobs and check running ones: the workers and reconcile-jobs. */
export function createReconciler(
  from: TableClient & { readonly env: TriggerEnv; readonly objects: S3Client; readonly queues: SQSClient },
) {
  const { env, table, clock, objects } = from;
  const registry = registryOf(from);
  const output = createOutputStore(from);
  return {
    jobs: createJobStore(from),
    dispatchQueues: createDispatchQueues(from),
    clock,
    random: Math.random,
    probeEvery: {
      account_required: env.PROMPTQ_ACCOUNT_PROBE_SECONDS * 1000,
      usage_limit: env.PROMPTQ_USAGE_PROBE_SECONDS * 1000,
      vendor_overloaded: env.PROMPTQ_OVERLOAD_PROBE_SECONDS * 1000,
    },
    pause: (milliseconds: number) => sleep(milliseconds),
    hadOutage: () => tableOutage.isRecent,
    registry,
    output,
    objects,
    bucket: env.OUTPUT_BUCKET,
    attachments: new AttachmentStore(objects, env.OUTPUT_BUCKET),
    agentSessions: new AgentSessionStore(objects, env.OUTPUT_BUCKET),
    readReceipt: (jobId: string, attempt: number) => output.readReceipt(jobId, attempt),
    byStatus: jobsByStatus(table, env.JOBS_TABLE),
    openStream: (jobId: string, attempt: number, stream: StreamName) => output.openStream(jobId, attempt, stream),
    partition: readyPartition(table, env.JOBS_TABLE),
    probes: new ProbeStore(registry),
    projectSettings: new ProjectSettingsStore(registry),
    slots: new SlotStore(registry),
    threads: new ThreadStore(registry),
    trees: new TreeStore(registry),
    locks: new SharedLocks(registry),
    texts: createTexts(from),
    profiles: new ProfileStore(registry),
    rules: new RuleStore(registry),
    diagrams: new DiagramStore(registry),
    projects: new ProjectStore(registry),
    folders: createFolders(from),
    agents: env.PROMPTQ_AGENTS,
    defaultProfile: env.PROMPTQ_DEFAULT_PROFILE,
    workspaceDays: env.PROMPTQ_WORKSPACE_DAYS,
    ...createDeployments(from),
    readReady: readyIndex(table, env.JOBS_TABLE, clock),
    inTurn: oneAtATime(),
  };
}

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
    accounts: new AccountStore({ ...registry, world: env.PROMPTQ_VENDOR }),
    vendors: env.PROMPTQ_ACCOUNT_VENDORS,
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
