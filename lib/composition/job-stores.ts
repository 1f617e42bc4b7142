import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DispatchQueues, queueUrls } from '../jobs/dispatch/dispatch-queues.ts';
import type { Folders } from '../jobs/lifecycle/working-folder.ts';
import { OutputStore } from '../jobs/output/output-store.ts';
import { JobStore } from '../jobs/store/job-store.ts';
import { JobTextStore } from '../jobs/store/job-texts.ts';
import type { TriggerEnv } from '../platform/config/function-env.ts';
import { readGrants } from '../platform/config/granted-folders.ts';

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

export function createJobStore({ table, env }: Table & Settings<'JOBS_TABLE'>): JobStore {
  return new JobStore(table, env.JOBS_TABLE);
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
