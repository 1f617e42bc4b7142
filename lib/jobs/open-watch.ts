import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { TableClient } from '../aws/clients.ts';
import { tableOutage } from '../aws/table-outage.ts';
import { openDeployments } from '../bindings/open-deployments.ts';
import type { WatchDeploymentsContext } from '../bindings/watch-deployments.ts';
import { ProfileStore } from '../catalog/profiles.ts';
import { ProjectSettingsStore } from '../catalog/project-settings.ts';
import { ProjectStore } from '../catalog/projects.ts';
import { RuleStore } from '../catalog/rules.ts';
import type { TriggerEnv } from '../config/env.ts';
import { type ClaimContext, readyIndex } from './claim.ts';
import { Holds } from './holds.ts';
import { JobStore } from './job-store.ts';
import { JobTextStore } from './job-texts.ts';
import { OutputStore } from './output-store.ts';
import { PermitQueues } from './permit.ts';
import { ProbeStore } from './probes.ts';
import { readyPartition } from './ready-partition.ts';
import { SharedLocks } from './shared-lock.ts';
import { statusIndex, type WatchContext } from './watch-jobs.ts';
import { LiveWorkers } from './workers.ts';

/** What those need who claim jobs and look after running ones: the workers and watch-jobs. */
export function openWatch(
  from: TableClient & { readonly env: TriggerEnv; readonly objects: S3Client; readonly queues: SQSClient },
): WatchContext &
  WatchDeploymentsContext &
  ClaimContext & {
    readonly output: OutputStore;
    readonly projectSettings: ProjectSettingsStore;
    readonly locks: SharedLocks;
  } {
  const { env, table, clock, objects } = from;
  const registry = { table, registryTable: env.REGISTRY_TABLE };
  const output = new OutputStore(objects, env.OUTPUT_BUCKET);
  return {
    jobs: new JobStore(table, env.JOBS_TABLE),
    permits: new PermitQueues(from.queues, {
      high: env.QUEUE_URL_HIGH,
      normal: env.QUEUE_URL_NORMAL,
      low: env.QUEUE_URL_LOW,
    }),
    clock,
    random: Math.random,
    probeEvery: {
      account_required: env.PROMPTQ_ACCOUNT_PROBE_SECONDS * 1000,
      usage_limit: env.PROMPTQ_USAGE_PROBE_SECONDS * 1000,
    },
    pause: (milliseconds) => sleep(milliseconds),
    hadOutage: () => tableOutage.isRecent,
    output,
    readReceipt: (jobId, attempt) => output.readReceipt(jobId, attempt),
    byStatus: statusIndex(table, env.JOBS_TABLE),
    openStream: (jobId, attempt, stream) => output.openStream(jobId, attempt, stream),
    partition: readyPartition(table, env.JOBS_TABLE),
    probes: new ProbeStore(registry),
    projectSettings: new ProjectSettingsStore(registry),
    holds: new Holds(registry),
    locks: new SharedLocks({ ...registry, clock }),
    texts: new JobTextStore({ ...registry, objects, bucket: env.OUTPUT_BUCKET }),
    profiles: new ProfileStore(registry),
    rules: new RuleStore(registry),
    projects: new ProjectStore({ ...registry, clock }),
    folders: { workspaces: env.PROMPTQ_WORKSPACES, roots: [env.PROMPTQ_TEMP, ...env.PROMPTQ_ALLOWED_ROOTS] },
    defaultProfile: env.PROMPTQ_DEFAULT_PROFILE,
    workers: new LiveWorkers({ ...registry, clock }),
    ...openDeployments(from),
    readReady: readyIndex(table, env.JOBS_TABLE, clock),
  };
}
