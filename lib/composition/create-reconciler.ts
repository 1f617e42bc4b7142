import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { ProfileStore } from '../catalog/profiles.ts';
import { RuleStore } from '../catalog/rules.ts';
import { type ClaimContext, readyIndex } from '../jobs/admission/claim.ts';
import { ProbeStore } from '../jobs/admission/probes.ts';
import { SlotStore } from '../jobs/admission/slots.ts';
import { jobsByStatus } from '../jobs/dispatch/jobs-by-status.ts';
import { AgentSessionStore } from '../jobs/output/agent-sessions/agent-session-store.ts';
import { AttachmentStore } from '../jobs/output/attachments/attachment-store.ts';
import type { OutputStore } from '../jobs/output/output-store.ts';
import { readyPartition } from '../jobs/store/ready-partition.ts';
import { ThreadStore } from '../jobs/threads/thread-store.ts';
import { TreeStore } from '../jobs/trees/tree-store.ts';
import type { TableClient } from '../platform/aws/clients.ts';
import { tableOutage } from '../platform/aws/table-outage.ts';
import type { TriggerEnv } from '../platform/config/function-env.ts';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import { registryOf } from '../platform/registry.ts';
import { SharedLocks } from '../platform/shared-lock.ts';
import { ProjectSettingsStore } from '../projects/project-settings.ts';
import { ProjectStore } from '../projects/projects.ts';
import type { ReconcilerContext } from '../reconciler/reconcile-jobs.ts';
import { LiveWorkers } from '../workers/live-workers.ts';
import { createDeployments } from './create-deployments.ts';
import { createDispatchQueues, createFolders, createJobStore, createOutputStore, createTexts } from './job-stores.ts';

/** The dependencies of processes that claim jobs and check running ones: the workers and reconcile-jobs. */
export function createReconciler(
  from: TableClient & { readonly env: TriggerEnv; readonly objects: S3Client; readonly queues: SQSClient },
): ReconcilerContext &
  ClaimContext & {
    readonly output: OutputStore;
    readonly attachments: AttachmentStore;
    readonly agentSessions: AgentSessionStore;
    readonly profiles: ProfileStore;
    readonly rules: RuleStore;
    readonly projects: ProjectStore;
    readonly projectSettings: ProjectSettingsStore;
    readonly locks: SharedLocks;
  } {
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
    pause: (milliseconds) => sleep(milliseconds),
    hadOutage: () => tableOutage.isRecent,
    registry,
    output,
    attachments: new AttachmentStore(objects, env.OUTPUT_BUCKET),
    agentSessions: new AgentSessionStore(objects, env.OUTPUT_BUCKET),
    readReceipt: (jobId, attempt) => output.readReceipt(jobId, attempt),
    byStatus: jobsByStatus(table, env.JOBS_TABLE),
    openStream: (jobId, attempt, stream) => output.openStream(jobId, attempt, stream),
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
    projects: new ProjectStore(registry),
    folders: createFolders(from),
    agents: env.PROMPTQ_AGENTS,
    defaultProfile: env.PROMPTQ_DEFAULT_PROFILE,
    workspaceDays: env.PROMPTQ_WORKSPACE_DAYS,
    workers: new LiveWorkers(registry),
    ...createDeployments(from),
    readReady: readyIndex(table, env.JOBS_TABLE, clock),
    inTurn: oneAtATime(),
  };
}
