import type * as z from 'zod';
import type { Deployment } from '../config/deployment.ts';
import type { apiEnv, triggerEnv, workerEnv } from '../config/env.ts';
import type { DataStack } from './data-stack.ts';

/** What a process's schema asks of its environment: a variable that is missing, or unknown, does not compile. */
type EnvironmentOf<S extends z.ZodType> = Strings<z.input<S>>;
type Strings<T> = { [K in keyof T]: T[K] & string };

/** Environment of the functions that no client calls. */
export function triggerEnvironment(data: DataStack, deployment: Deployment): EnvironmentOf<typeof triggerEnv> {
  return {
    JOBS_TABLE: data.tables.jobs.tableName,
    REGISTRY_TABLE: data.tables.registry.tableName,
    OUTPUT_BUCKET: data.output.bucketName,
    QUEUE_URL_HIGH: data.queues.high.queueUrl,
    QUEUE_URL_NORMAL: data.queues.normal.queueUrl,
    QUEUE_URL_LOW: data.queues.low.queueUrl,
    PROMPTQ_TIMEOUT_UNIT: deployment.timeoutUnit,
  };
}

/** Environment of the API's functions. */
export function apiEnvironment(data: DataStack, deployment: Deployment, version: string): EnvironmentOf<typeof apiEnv> {
  return {
    ...triggerEnvironment(data, deployment),
    PROMPTQ_API_SCOPE_ENFORCE: deployment.scopeEnforcement ? '1' : '0',
    PROMPTQ_MAX_BODY_BYTES: String(deployment.maxBodyBytes),
    PROMPTQ_VERSION: version,
  };
}

/** Environment of the worker; what depends on its image stands in the image. */
export function workerEnvironment(
  data: DataStack,
  deployment: Deployment,
  settings: { readonly version: string; readonly workspaces: string; readonly stopGraceSeconds: number },
): EnvironmentOf<typeof workerEnv> {
  return {
    ...triggerEnvironment(data, deployment),
    PROMPTQ_VERSION: settings.version,
    PROMPTQ_WORKSPACES: settings.workspaces,
    PROMPTQ_STOP_GRACE_SECONDS: String(settings.stopGraceSeconds),
    PROMPTQ_CONCURRENCY: '1',
  };
}
