import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createReconciler } from '../../lib/composition/services.ts';
import { AGENTS } from '../../lib/contract/agents.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { newChangeId } from '../../lib/jobs/store/job-store.ts';
import { startObjectAndQueueEmulator } from '../../lib/local/emulators/object-and-queue-emulator.ts';
import { localEnv } from '../../lib/local/run/local-env.ts';
import { createResources, LOCAL_REGION } from '../../lib/local/run/resources.ts';
import { newRunCredentials } from '../../lib/local/run-access/run-credentials.ts';
import { TableClock } from '../../lib/platform/aws/table-clock.ts';
import { LiveWorkers } from '../../lib/workers/live-workers.ts';
import { aJob } from '../lib/jobs/a-job.ts';
import { startPlainDynamodb } from './plain-dynamodb.ts';
import { startSecondDynamodb } from './second-dynamodb.ts';

/** Tables, queues and a bucket of a deployment, emulated in a temporary folder, and the modules opened on them. */
export async function emulateDeployment() {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const credentials = newRunCredentials();
  const dynamodb = (await startSecondDynamodb()) ?? (await startPlainDynamodb());
  const others = await startObjectAndQueueEmulator(join(folder, 's3'), credentials);
  const endpoints = { dynamodb: dynamodb.endpoint, objectsAndQueues: others.endpoint, credentials };
  const resources = await createResources(endpoints);
  const settings = { region: LOCAL_REGION, credentials };
  const client = new DynamoDBClient({ ...settings, endpoint: dynamodb.endpoint });
  const clock = new TableClock();
  clock.attach(client);
  const table = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const objects = new S3Client({ ...settings, endpoint: others.endpoint, forcePathStyle: true });
  const queues = new SQSClient({ ...settings, endpoint: others.endpoint });
  const { high, normal, low } = resources.queueUrls;
  const env = {
    JOBS_TABLE: resources.jobsTable,
    REGISTRY_TABLE: resources.registryTable,
    OUTPUT_BUCKET: resources.outputBucket,
    QUEUE_URL_HIGH: high,
    QUEUE_URL_NORMAL: normal,
    QUEUE_URL_LOW: low,
    QUEUE_URL_DELIVERIES: resources.deliveriesUrl,
    PROMPTQ_DEPLOY_COMMANDS: true,
    PROMPTQ_CALLS_TO_LOOPBACK: true,
    PROMPTQ_TIMEOUT_UNIT: 'seconds' as const,
    PROMPTQ_DEFAULT_PROFILE: 'practice',
    PROMPTQ_WORKSPACES: join(folder, 'workspaces'),
    PROMPTQ_ALLOWED_ROOTS: [],
    PROMPTQ_TEMP: tmpdir(),
    PROMPTQ_WORKSPACE_DAYS: 7,
    PROMPTQ_RETENTION_DAYS: 0,
    PROMPTQ_ACCOUNT_PROBE_SECONDS: 60,
    PROMPTQ_USAGE_PROBE_SECONDS: 300,
    PROMPTQ_OVERLOAD_PROBE_SECONDS: 60,
    PROMPTQ_VENDOR: 'practice' as const,
    PROMPTQ_ACCOUNT_VENDORS: ['codex' as const],
    PROMPTQ_AGENTS: [...AGENTS],
    PROMPTQ_REPOSITORY_LOOPBACK: true,
    PROMPTQ_S3_PATH_STYLE: true,
  };
  // By default, an outage that another test of this process caused would count.
  const watch = { ...createReconciler({ env, table, clock, objects, queues }), hadOutage: () => false };
  const registry = { table, registryTable: resources.registryTable, jobsTable: resources.jobsTable, clock };
  return {
    ...watch,
    env,
    /** The environment that an exported function finds in this deployment. */
    variables: localEnv(folder, resources, endpoints, {}),
    table,
    clock,
    objects,
    queues,
    /** What a process of this deployment finds in its environment. */
    processEnv: localEnv(folder, resources, endpoints, {}),
    registry,
    workers: new LiveWorkers(registry),
    /** Stores a job as it is, without a dispatch message. */
    async store(job: Partial<Job> & Pick<Job, 'id'>): Promise<Job> {
      const stored = aJob({ change_id: newChangeId(), ...job });
      await watch.jobs.create(stored);
      return stored;
    },
    /** Ends the tables' emulator, so that connections are refused. */
    stopTables: dynamodb.stop,
    /** Pauses the tables' emulator, so that requests are never answered. */
    pauseTables(): void {
      process.kill(dynamodb.pid, 'SIGSTOP');
    },
    async stop(): Promise<void> {
      for (const each of [client, objects, queues]) each.destroy();
      await others.close();
      await dynamodb.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type EmulatedDeployment = Awaited<ReturnType<typeof emulateDeployment>>;

/** The deployment with a fixed clock, even if its machine is paused. */
export function inStillTime<T extends Pick<EmulatedDeployment, 'clock'>>(deployment: T) {
  const now = deployment.clock.now();
  return { ...deployment, clock: { now: () => now } };
}
