import type * as z from 'zod';
import { CLOUD_SANDBOXES } from '../../catalog/sandboxes.ts';
import { OPTIONAL_AGENTS } from '../../contract/agents.ts';
import type { apiEnv } from '../../platform/config/api-env.ts';
import { type Deployment, knownOrigin } from '../../platform/config/deployment.ts';
import type {
  applyConfigEnv,
  countEnv,
  makeExportsEnv,
  readFeedEnv,
  reconcileEnv,
  scaleEnv,
  triggerEnv,
} from '../../platform/config/function-env.ts';
import { secretsPath } from '../../platform/config/secrets-path.ts';
import type { workerEnv } from '../../platform/config/worker-env.ts';
import type { DataStack } from '../data/data-stack.ts';
import {
  clientSecretName,
  LOGIN_PORT,
  makeExportsName,
  readFeedName,
  reconcileJobsName,
  scaleWorkersName,
  serviceEndpointsParameter,
} from '../data/shared-names.ts';

/** The environment that a process's schema requires: a missing or unknown variable does not compile. */
export type EnvironmentOf<S extends z.ZodType> = Strings<z.input<S>>;
type Strings<T> = { [K in keyof T]: T[K] & string };

/** Settings of the logging and metrics libraries, for every process of a deployment: log level and service name. */
export function operationsEnvironment({ deploymentName }: Pick<Deployment, 'deploymentName'>) {
  return { POWERTOOLS_LOG_LEVEL: 'INFO', POWERTOOLS_SERVICE_NAME: deploymentName };
}

/** Environment of the functions that no client calls. */
export function triggerEnvironment(data: DataStack, deployment: Deployment): EnvironmentOf<typeof triggerEnv> {
  return {
    JOBS_TABLE: data.tables.jobs.tableName,
    REGISTRY_TABLE: data.tables.registry.tableName,
    OUTPUT_BUCKET: data.output.bucketName,
    QUEUE_URL_HIGH: data.queues.high.queueUrl,
    QUEUE_URL_NORMAL: data.queues.normal.queueUrl,
    QUEUE_URL_LOW: data.queues.low.queueUrl,
    QUEUE_URL_DELIVERIES: data.deliveries.queueUrl,
    PROMPTQ_TIMEOUT_UNIT: deployment.timeoutUnit,
    PROMPTQ_DEPLOY_COMMANDS: deployment.deployCommands ? '1' : '0',
    PROMPTQ_WORKSPACE_DAYS: String(deployment.workspaceDays),
    PROMPTQ_RETENTION_DAYS: String(deployment.retentionDays),
    ...agentsEnvironment(deployment),
    ...originEnvironment(deployment),
  };
}

/** Absent if the image has all agents. */
function agentsEnvironment({ agents }: Deployment) {
  const hasAll = OPTIONAL_AGENTS.every((agent) => agents.includes(agent));
  return { ...(!hasAll && { PROMPTQ_AGENTS: agents.join(',') || 'none' }) };
}

/** Environment of the function that imports the configuration. */
export function applyConfigEnvironment(data: DataStack): EnvironmentOf<typeof applyConfigEnv> {
  return { REGISTRY_TABLE: data.tables.registry.tableName, PROMPTQ_SANDBOXES: CLOUD_SANDBOXES.join(',') };
}

/** Environment of the function that keeps the counts. */
export function countEnvironment(data: DataStack, deployment: Deployment): EnvironmentOf<typeof countEnv> {
  return { ...readFeedEnvironment(data, deployment), SCALE_WORKERS_FUNCTION: scaleWorkersName(data) };
}

/** Environment of the function that runs each minute. */
export function reconcileEnvironment(data: DataStack, deployment: Deployment): EnvironmentOf<typeof reconcileEnv> {
  return { ...readFeedEnvironment(data, deployment), RECONCILE_JOBS_FUNCTION: reconcileJobsName(data) };
}

/** Environment of the function that runs readers of the feed of events. */
export function readFeedEnvironment(data: DataStack, deployment: Deployment): EnvironmentOf<typeof readFeedEnv> {
  return { ...triggerEnvironment(data, deployment), READ_FEED_FUNCTION: readFeedName(data) };
}

/** Of the function that sends messages: where their links lead, and who sends mails, if any. */
export function messageEnvironment(data: DataStack, { mailFrom }: Deployment) {
  return {
    PROMPTQ_WHEREABOUTS_AT: `ssm:${serviceEndpointsParameter(data)}`,
    ...(mailFrom !== undefined && { PROMPTQ_MAIL_FROM: mailFrom }),
  };
}

/** Environment of the function that makes exports. */
export function makeExportsEnvironment(data: DataStack, deployment: Deployment): EnvironmentOf<typeof makeExportsEnv> {
  return { ...triggerEnvironment(data, deployment), MAKE_EXPORTS_FUNCTION: makeExportsName(data) };
}

/** Environment of the function that launches workers. */
export function scaleEnvironment(
  data: DataStack,
  deployment: Deployment,
  place: {
    readonly cluster: string;
    readonly subnets: string;
    readonly securityGroup: string;
    readonly buildParameter: string;
  },
): EnvironmentOf<typeof scaleEnv> {
  return {
    JOBS_TABLE: data.tables.jobs.tableName,
    REGISTRY_TABLE: data.tables.registry.tableName,
    PROMPTQ_MAX_WORKERS: String(deployment.maxWorkers),
    PROMPTQ_CONCURRENCY: String(deployment.jobsPerWorker),
    PROMPTQ_SPOT_WEIGHT: String(deployment.spotWeight),
    PROMPTQ_WARM_WORKERS: JSON.stringify(deployment.warmWorkers),
    WORKER_CLUSTER: place.cluster,
    WORKER_SUBNETS: place.subnets,
    WORKER_SECURITY_GROUP: place.securityGroup,
    WORKER_PUBLIC_ADDRESSES: deployment.network.publicAddresses ? '1' : '0',
    WORKER_BUILD_PARAMETER: place.buildParameter,
  };
}

function originEnvironment(deployment: Deployment) {
  const origin = knownOrigin(deployment);
  return { ...(origin !== undefined && { PROMPTQ_PUBLIC_ORIGIN: origin }) };
}

/**
 * Environment of the API's functions.
 * @param options.originDigests of the origin secrets, `,`-separated
 */
export function apiEnvironment(
  data: DataStack,
  deployment: Deployment,
  { version, originDigests }: { readonly version: string; readonly originDigests: string },
): EnvironmentOf<typeof apiEnv> {
  return {
    ...triggerEnvironment(data, deployment),
    PROMPTQ_SANDBOXES: CLOUD_SANDBOXES.join(','),
    PROMPTQ_API_SCOPE_ENFORCE: deployment.scopeEnforcement ? '1' : '0',
    PROMPTQ_MAX_BODY_BYTES: String(deployment.maxBodyBytes),
    PROMPTQ_VERSION: version,
    PROMPTQ_SECRETS: `ssm:${data.secretsFolder}`,
    PROMPTQ_PERIMETER_SOURCES: deployment.perimeterSources.join(','),
    PROMPTQ_TELEGRAM_USERS: Object.entries(deployment.telegramUsers)
      .map(([id, role]) => `${id}:${role}`)
      .join(','),
    PROMPTQ_ORIGIN_DIGESTS: originDigests,
    PROMPTQ_WHEREABOUTS_AT: `ssm:${serviceEndpointsParameter(data)}`,
    PROMPTQ_TOKEN_RATE: String(deployment.tokenRate),
    PROMPTQ_FOLLOW_STREAMS: String(deployment.followStreams),
    PROMPTQ_SESSION_IDLE_SECONDS: String(deployment.session.idleSeconds),
    PROMPTQ_SESSION_MAX_SECONDS: String(deployment.session.maxSeconds),
    ...signInEnvironment(data, deployment),
  };
}

/** Without the settings that are not set. */
function signInEnvironment(data: DataStack, { signIn }: Deployment) {
  return {
    ...(signIn !== undefined && {
      PROMPTQ_OIDC_ISSUER: signIn.issuer,
      PROMPTQ_OIDC_CLIENT_ID: signIn.clientId,
      PROMPTQ_OIDC_CLIENT_SECRET_AT: `ssm:${clientSecretName(data)}`,
      PROMPTQ_OIDC_ROLE_CLAIM: signIn.roleClaim,
      PROMPTQ_OIDC_ROLES: Object.entries(signIn.groups)
        .map(([role, group]) => `${role}=${group}`)
        .join(','),
    }),
  };
}

/** Environment of the worker; settings that depend on its image are in the image. */
export function workerEnvironment(
  data: DataStack,
  deployment: Deployment,
  settings: { readonly version: string; readonly workspaces: string; readonly stopGraceSeconds: number },
): EnvironmentOf<typeof workerEnv> {
  return {
    ...triggerEnvironment(data, deployment),
    PROMPTQ_SANDBOXES: CLOUD_SANDBOXES.join(','),
    PROMPTQ_VERSION: settings.version,
    PROMPTQ_WORKSPACES: settings.workspaces,
    PROMPTQ_STOP_GRACE_SECONDS: String(settings.stopGraceSeconds),
    PROMPTQ_LOGIN_NETWORK: 'private',
    PROMPTQ_LOGIN_PORT: String(LOGIN_PORT),
    PROMPTQ_CONCURRENCY: String(deployment.jobsPerWorker),
    PROMPTQ_IDLE_SECONDS: String(deployment.idleMinutes * 60),
    PROMPTQ_WARM_WORKERS: JSON.stringify(deployment.warmWorkers),
    PROMPTQ_SECRETS_PATH: secretsPath(deployment),
  };
}
