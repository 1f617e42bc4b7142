import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { DeployBindingStore } from '../../bindings/deploy-binding-store.ts';
import { ProfileStore } from '../../catalog/profiles.ts';
import { RuleStore } from '../../catalog/rules.ts';
import {
  createDispatchQueues,
  createFolders,
  createJobStore,
  createOutputStore,
  createTexts,
} from '../../composition/job-stores.ts';
import { JobCounts } from '../../counters/counts.ts';
import type { ViewDeploymentsContext } from '../../deployments/view-deployments.ts';
import { ProbeStore } from '../../jobs/admission/probes.ts';
import { SlotStore } from '../../jobs/admission/slots.ts';
import type { CreationContext } from '../../jobs/creation/create-job.ts';
import type { EditContext } from '../../jobs/creation/edit-job.ts';
import type { FollowUpContext } from '../../jobs/creation/follow-ups.ts';
import type { SettingsContext } from '../../jobs/creation/job-settings.ts';
import { JobDeploymentStore } from '../../jobs/deployments/job-deployment-store.ts';
import { AttachmentStore } from '../../jobs/output/attachments/attachment-store.ts';
import { FollowSlots } from '../../jobs/output/reading/follow-slots.ts';
import type { OutputContext } from '../../jobs/output/reading/read-output.ts';
import type { RereadContext } from '../../jobs/reread/reread-job.ts';
import { JobIndex } from '../../jobs/store/job-index.ts';
import { JobLabelStore } from '../../jobs/store/job-labels.ts';
import type { JobTextStore } from '../../jobs/store/job-texts.ts';
import { ThreadStore } from '../../jobs/threads/thread-store.ts';
import type { TreeContext } from '../../jobs/trees/act-on-tree.ts';
import { TreeStore } from '../../jobs/trees/tree-store.ts';
import type { Keeping } from '../../jobs/views/job-view.ts';
import type { ListContext } from '../../jobs/views/list-jobs.ts';
import type { QueueContext } from '../../jobs/views/queue-place.ts';
import { objectClient, queueClient } from '../../platform/aws/clients.ts';
import { ProjectStore } from '../../projects/projects.ts';
import type { HealthContext } from '../../stats/check-health.ts';
import { LiveWorkers } from '../../workers/live-workers.ts';
import { ScalingStore } from '../../workers/scaling/scaling-store.ts';
import { WhyWaiting } from '../../workers/scaling/why-waiting.ts';
import type { Core } from './core.ts';

/** A core with the client of S3. A bundle holds only the clients that its function uses. */
function withObjects(core: Core): Core & { readonly objects: S3Client } {
  return { ...core, objects: objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE }) };
}

function withQueues(core: Core): Core & { readonly queues: SQSClient } {
  return { ...core, queues: queueClient() };
}

export function createWhyWaiting({ registry }: Core): WhyWaiting {
  return new WhyWaiting({ probes: new ProbeStore(registry), scaling: new ScalingStore(registry) });
}

function createReceiptReader(core: Core): FollowUpContext['readReceipt'] {
  const output = createOutputStore(withObjects(core));
  return (jobId, attempt) => output.readReceipt(jobId, attempt);
}

/** The services that build a job's response body. */
export interface JobBodyContext extends ViewDeploymentsContext, Keeping {
  readonly texts: JobTextStore;
  readonly waiting: WhyWaiting;
  readonly readReceipt: FollowUpContext['readReceipt'];
}

export function createJobBody(core: Core): JobBodyContext {
  const { registry, env } = core;
  return {
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
export function createQueuePlaces({ registry, env }: Core): QueueContext {
  return {
    ...registry,
    jobsTable: env.JOBS_TABLE,
    profiles: new ProfileStore(registry),
  };
}

/** The services that change existing jobs. */
export function createTransitions(core: Core): TreeContext & JobBodyContext {
  return {
    ...createJobBody(core),
    jobs: createJobStore(core),
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

export function createEdits(core: Core): EditContext & JobBodyContext {
  return { ...createTransitions(core), ...createSettings(core) };
}

export function createOutput(core: Core): OutputContext & { readonly waiting: WhyWaiting } {
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

export function createFollowableOutput(core: Core): ReturnType<typeof createOutput> & { readonly slots: FollowSlots } {
  const slots = new FollowSlots({ ...core.registry, count: core.env.PROMPTQ_FOLLOW_STREAMS });
  return { ...createOutput(core), slots };
}

export function createReread(core: Core): RereadContext & JobBodyContext {
  const { output } = createOutput(core);
  return {
    ...createCreation(core),
    ...createTransitions(core),
    profiles: new ProfileStore(core.registry),
    output,
    readReceipt: (jobId, attempt) => output.readReceipt(jobId, attempt),
    openStream: (jobId, attempt, stream) => output.openStream(jobId, attempt, stream),
  };
}

export function createList(core: Core): ListContext & { readonly waiting: WhyWaiting } {
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

export function createHealth(core: Core): HealthContext {
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
function createSettings({ registry, env }: Core): SettingsContext {
  return {
    registry,
    folders: createFolders({ env }),
    agents: env.PROMPTQ_AGENTS,
  };
}

export function createCreation(core: Core): CreationContext {
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
