import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { AccountStore } from '../../accounts/account-store.ts';
import { createLoginReader } from '../../accounts/ask-login.ts';
import { BindingSecretStore } from '../../bindings/binding-secrets.ts';
import { DeployBindingStore } from '../../bindings/deploy-binding-store.ts';
import { ProfileStore } from '../../catalog/profiles.ts';
import { RuleStore } from '../../catalog/rules.ts';
import {
  createDispatchQueues,
  createFolders,
  createJobStore,
  createOutputStore,
  createTexts,
} from '../../composition/services.ts';
import { ApiError } from '../../contract/errors.ts';
import type { AccountVendor } from '../../contract/vendors.ts';
import { JobCounts } from '../../counters/counts.ts';
import { DiagramStore } from '../../diagrams/diagram-store.ts';
import { ProbeStore } from '../../jobs/admission/probes.ts';
import { SlotStore } from '../../jobs/admission/slots.ts';
import { JobDeploymentStore } from '../../jobs/deployments/job-deployment-store.ts';
import { AttachmentStore } from '../../jobs/output/attachments/attachment-store.ts';
import type { OutputStore } from '../../jobs/output/output-store.ts';
import { FollowSlots } from '../../jobs/output/reading/follow-slots.ts';
import type { StreamName } from '../../jobs/receipts/receipt.ts';
import { JobIndex } from '../../jobs/store/job-index.ts';
import { JobLabelStore } from '../../jobs/store/job-labels.ts';
import { JobMessageStore } from '../../jobs/store/job-messages.ts';
import { ThreadStore } from '../../jobs/threads/thread-store.ts';
import { TreeStore } from '../../jobs/trees/tree-store.ts';
import { objectClient, queueClient } from '../../platform/aws/clients.ts';
import { ProjectStore } from '../../projects/projects.ts';
import { StatsStore } from '../../stats/counting/stats-store.ts';
import { LiveWorkers } from '../../workers/live-workers.ts';
import { ScalingStore } from '../../workers/scaling/scaling-store.ts';
import { WhyWaiting } from '../../workers/scaling/why-waiting.ts';
import type { Core } from './core.ts';

/*
 * The services of the API's functions: one function for each purpose. `handle` calls it with the process's core at the
 * first request. esbuild drops what a function doesn't import, so the members are made here one by one: an object with
 * all of them would bring every store and every AWS client into each bundle. The types are inferred, and each consumer
 * declares those that it needs.
 */

/** A core with the client of S3. */
function withObjects(core: Core): Core & { readonly objects: S3Client } {
  return { ...core, objects: objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE }) };
}

function withQueues(core: Core): Core & { readonly queues: SQSClient } {
  return { ...core, queues: queueClient() };
}

export function createWhyWaiting({ registry }: Core): WhyWaiting {
  return new WhyWaiting({ probes: new ProbeStore(registry), scaling: new ScalingStore(registry) });
}

function createReceiptReader(core: Core): OutputStore['readReceipt'] {
  const output = createOutputStore(withObjects(core));
  return (jobId, attempt) => output.readReceipt(jobId, attempt);
}

/** The services that build a job's response body. */
export function createJobBody(core: Core) {
  const { registry, env } = core;
  return {
    jobs: createJobStore(core),
    texts: createTexts(withObjects(core)),
    waiting: createWhyWaiting(core),
    bindings: new DeployBindingStore(registry),
    deployments: new JobDeploymentStore(registry),
    folders: createFolders(core),
    workspaceDays: env.PROMPTQ_WORKSPACE_DAYS,
    retentionDays: env.PROMPTQ_RETENTION_DAYS,
    readReceipt: createReceiptReader(core),
  };
}

/** The services that find a job's place in the queue. */
export function createQueuePlaces({ registry, env }: Core) {
  return {
    ...registry,
    jobsTable: env.JOBS_TABLE,
    profiles: new ProfileStore(registry),
  };
}

/** The services that change existing jobs. */
export function createTransitions(core: Core) {
  return {
    ...createJobBody(core),
    dispatchQueues: createDispatchQueues(withQueues(core)),
    threads: new ThreadStore(core.registry),
    trees: new TreeStore(core.registry),
    slots: new SlotStore(core.registry),
    clock: core.clock,
    random: Math.random,
  };
}

/** The services that remove a job. */
export function createRemoval(core: Core) {
  const from = withObjects(core);
  return {
    jobs: createJobStore(core),
    texts: createTexts(from),
    deployments: new JobDeploymentStore(core.registry),
    threads: new ThreadStore(core.registry),
    trees: new TreeStore(core.registry),
    objects: from.objects,
    bucket: core.env.OUTPUT_BUCKET,
    clock: core.clock,
    random: Math.random,
  };
}

/** The services that delete the output of a job. */
export function createOutputDeletion(core: Core) {
  const from = withObjects(core);
  return {
    jobs: createJobStore(core),
    texts: createTexts(from),
    output: createOutputStore(from),
    deployments: new JobDeploymentStore(core.registry),
    threads: new ThreadStore(core.registry),
    objects: from.objects,
    bucket: core.env.OUTPUT_BUCKET,
    clock: core.clock,
    random: Math.random,
  };
}

export function createEdits(core: Core) {
  return { ...createTransitions(core), ...createSettings(core) };
}

export function createOutput(core: Core) {
  const from = withObjects(core);
  return {
    jobs: createJobStore(core),
    texts: createTexts(from),
    rules: new RuleStore(core.registry),
    output: createOutputStore(from),
    attachments: new AttachmentStore(from.objects, core.env.OUTPUT_BUCKET),
    clock: core.clock,
    waiting: createWhyWaiting(core),
  };
}

export function createFollowableOutput(core: Core) {
  const slots = new FollowSlots({ ...core.registry, count: core.env.PROMPTQ_FOLLOW_STREAMS });
  return { ...createOutput(core), slots };
}

export function createReread(core: Core) {
  const { output } = createOutput(core);
  return {
    ...createCreation(core),
    ...createTransitions(core),
    profiles: new ProfileStore(core.registry),
    output,
    readReceipt: (jobId: string, attempt: number) => output.readReceipt(jobId, attempt),
    openStream: (jobId: string, attempt: number, stream: StreamName) => output.openStream(jobId, attempt, stream),
  };
}

export function createList(core: Core) {
  const { registry, env, clock } = core;
  return {
    index: new JobIndex({ ...registry, jobsTable: env.JOBS_TABLE }),
    labels: new JobLabelStore(registry),
    threads: new ThreadStore(registry),
    trees: new TreeStore(registry),
    counts: new JobCounts(registry),
    clock,
    folders: createSettings(core).folders,
    waiting: createWhyWaiting(core),
  };
}

export function createHealth(core: Core) {
  const { registry, env } = core;
  return {
    counts: new JobCounts(registry),
    dispatchQueues: createDispatchQueues(withQueues(core)),
    objects: withObjects(core).objects,
    bucket: env.OUTPUT_BUCKET,
    workers: new LiveWorkers(registry),
    home: env.PROMPTQ_RUN_HOME,
  };
}

/** The services that validate a job's settings. */
function createSettings({ registry, env }: Core) {
  return {
    registry,
    folders: createFolders({ env }),
    agents: env.PROMPTQ_AGENTS,
  };
}

export function createCreation(core: Core) {
  const { registry, env, clock } = core;
  return {
    jobs: createJobStore(core),
    texts: createTexts(withObjects(core)),
    dispatchQueues: createDispatchQueues(withQueues(core)),
    ...createSettings(core),
    projects: new ProjectStore(registry),
    threads: new ThreadStore(registry),
    trees: new TreeStore(registry),
    deployments: new JobDeploymentStore(registry),
    random: Math.random,
    clock,
    defaultProfile: env.PROMPTQ_DEFAULT_PROFILE,
    workspaceDays: env.PROMPTQ_WORKSPACE_DAYS,
    readReceipt: createReceiptReader(core),
  };
}

export function createDiagrams({ registry }: Core) {
  return { diagrams: new DiagramStore(registry), projects: new ProjectStore(registry) };
}

/** The deployment's vendor accounts. */
export function createAccounts({ registry, env }: Core): AccountStore {
  return new AccountStore({ ...registry, world: env.PROMPTQ_VENDOR });
}

/** The account services, including requests to running logins for their code. */
export function createAccountReading(core: Core) {
  return { accounts: createAccounts(core), askLogin: createLoginReader(core.env) };
}

/** @throws ApiError `not_found` where the deployment does not list the vendor. */
export function requireListed({ env }: Core, vendor: AccountVendor): void {
  if (!env.PROMPTQ_ACCOUNT_VENDORS.includes(vendor)) throw ApiError.of('not_found');
}

/** The services that read jobs' attachments. */
export function createAttachments(core: Core) {
  const objects = objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE });
  return { jobs: createJobStore(core), attachments: new AttachmentStore(objects, core.env.OUTPUT_BUCKET) };
}

/** The services that read the files that attempts kept. */
export function createFiles(core: Core) {
  const s3 = objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE });
  return { jobs: createJobStore(core), files: { s3, bucket: core.env.OUTPUT_BUCKET } };
}

/** The services that change deploy bindings. */
export function createBindings({ registry, env, clock }: Core) {
  return {
    bindings: new DeployBindingStore(registry),
    secrets: new BindingSecretStore(registry),
    projects: new ProjectStore(registry),
    clock,
    reach: { loopback: env.PROMPTQ_CALLS_TO_LOOPBACK },
    commands: env.PROMPTQ_DEPLOY_COMMANDS,
  };
}

/** The services of the messages to jobs. */
export function createMessages(core: Core) {
  return {
    jobs: createJobStore(core),
    messages: new JobMessageStore(core.registry),
    clock: core.clock,
    random: Math.random,
  };
}

/** The services behind the overviews of the whole deployment. */
export function createOverview({ registry }: Core) {
  return {
    registry,
    counts: new JobCounts(registry),
    stats: new StatsStore(registry),
    projects: new ProjectStore(registry),
    profiles: new ProfileStore(registry),
    workers: new LiveWorkers(registry),
  };
}

/** The deployment's facts in this process's environment. */
export function deploymentFacts({ env }: Core) {
  return {
    region: env.PROMPTQ_RUN_HOME === undefined ? env.AWS_REGION : 'local',
    version: env.PROMPTQ_VERSION,
    timeoutUnit: env.PROMPTQ_TIMEOUT_UNIT,
    defaultProfile: env.PROMPTQ_DEFAULT_PROFILE,
    scopeEnforcement: env.PROMPTQ_API_SCOPE_ENFORCE,
    maxBodyBytes: env.PROMPTQ_MAX_BODY_BYTES,
  };
}
