import { ProfileStore } from '../../catalog/profiles.ts';
import { RuleStore } from '../../catalog/rules.ts';
import { DeployBindingStore } from '../../deployments/bindings/deploy-binding-store.ts';
import type { ViewDeploymentsContext } from '../../deployments/view-deployments.ts';
import { ProbeStore } from '../../jobs/admission/probes.ts';
import { WhyWaiting } from '../../jobs/admission/why-waiting.ts';
import type { CreationContext } from '../../jobs/creation/create-job.ts';
import type { EditContext } from '../../jobs/creation/edit-job.ts';
import type { FollowUpContext } from '../../jobs/creation/follow-ups.ts';
import type { SettingsContext } from '../../jobs/creation/job-settings.ts';
import { JobDeploymentStore } from '../../jobs/deployments/job-deployment-store.ts';
import { PermitQueues } from '../../jobs/dispatch/dispatch-queues.ts';
import type { TransitionContext } from '../../jobs/dispatch/transition.ts';
import type { Folders } from '../../jobs/lifecycle/working-folder.ts';
import { AttachmentStore } from '../../jobs/output/attachments/attachment-store.ts';
import { OutputStore } from '../../jobs/output/output-store.ts';
import { FollowSlots } from '../../jobs/output/reading/follow-slots.ts';
import type { OutputContext } from '../../jobs/output/reading/read-output.ts';
import type { RereadContext } from '../../jobs/reread/reread-job.ts';
import { JobIndex } from '../../jobs/store/job-index.ts';
import { JobLabelStore } from '../../jobs/store/job-labels.ts';
import { JobStore } from '../../jobs/store/job-store.ts';
import { JobTextStore } from '../../jobs/store/job-texts.ts';
import type { ListContext } from '../../jobs/views/list-jobs.ts';
import type { QueueContext } from '../../jobs/views/queue-place.ts';
import { objectClient, queueClient } from '../../platform/aws/clients.ts';
import { ProjectStore } from '../../projects/projects.ts';
import type { HealthContext } from '../../stats/check-health.ts';
import { JobCounts } from '../../stats/counting/counts.ts';
import { LiveWorkers } from '../../workers/live-workers.ts';
import { ScalingStore } from '../../workers/scaling/scaling-store.ts';
import type { Core } from './core.ts';

/** What functions are put together from. A bundle holds only the clients of what its function opens. */
export function openJobs({ table, env }: Core): JobStore {
  return new JobStore(table, env.JOBS_TABLE);
}

export function openTexts({ table, env }: Core): JobTextStore {
  const objects = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
  return new JobTextStore({ table, registryTable: env.REGISTRY_TABLE, objects, bucket: env.OUTPUT_BUCKET });
}

export function openPermits({ env }: Core): PermitQueues {
  return new PermitQueues(queueClient(), {
    high: env.QUEUE_URL_HIGH,
    normal: env.QUEUE_URL_NORMAL,
    low: env.QUEUE_URL_LOW,
  });
}

export function openWaiting({ table, env }: Core): WhyWaiting {
  const registry = { table, registryTable: env.REGISTRY_TABLE };
  return new WhyWaiting({ probes: new ProbeStore(registry), scaling: new ScalingStore(registry) });
}

export function openReceipts({ env }: Core): FollowUpContext['readReceipt'] {
  const output = new OutputStore(objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE }), env.OUTPUT_BUCKET);
  return (jobId, attempt) => output.readReceipt(jobId, attempt);
}

/** What makes an answer of a job. */
export interface JobBodyContext extends ViewDeploymentsContext {
  readonly texts: JobTextStore;
  readonly waiting: WhyWaiting;
  readonly readReceipt: FollowUpContext['readReceipt'];
}

export function openJobBody(core: Core): JobBodyContext {
  const registry = { table: core.table, registryTable: core.env.REGISTRY_TABLE };
  return {
    texts: openTexts(core),
    waiting: openWaiting(core),
    bindings: new DeployBindingStore(registry),
    deployments: new JobDeploymentStore(registry),
    folders: openFolders(core),
    readReceipt: openReceipts(core),
  };
}

/** What finds a job's place in the queue. */
export function openQueuePlaces({ table, env }: Core): QueueContext {
  const registry = { table, registryTable: env.REGISTRY_TABLE };
  return { ...registry, jobsTable: env.JOBS_TABLE, profiles: new ProfileStore(registry) };
}

/** What changes jobs that are there. */
export function openTransitions(core: Core): TransitionContext & JobBodyContext {
  return {
    ...openJobBody(core),
    jobs: openJobs(core),
    permits: openPermits(core),
    clock: core.clock,
    random: Math.random,
  };
}

export function openEdits(core: Core): EditContext & JobBodyContext {
  return { ...openTransitions(core), ...openSettings(core) };
}

export function openOutput(core: Core): OutputContext & { readonly waiting: WhyWaiting } {
  const objects = objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE });
  return {
    jobs: openJobs(core),
    texts: openTexts(core),
    rules: openSettings(core).rules,
    output: new OutputStore(objects, core.env.OUTPUT_BUCKET),
    attachments: new AttachmentStore(objects, core.env.OUTPUT_BUCKET),
    clock: core.clock,
    waiting: openWaiting(core),
  };
}

export function openFollowableOutput(core: Core): ReturnType<typeof openOutput> & { readonly slots: FollowSlots } {
  const { table, clock, env } = core;
  const registry = { table, registryTable: env.REGISTRY_TABLE, clock };
  return { ...openOutput(core), slots: new FollowSlots({ ...registry, count: env.PROMPTQ_FOLLOW_STREAMS }) };
}

export function openReread(core: Core): RereadContext & JobBodyContext {
  const { output } = openOutput(core);
  return {
    ...openTransitions(core),
    ...openCreation(core),
    output,
    readReceipt: (jobId, attempt) => output.readReceipt(jobId, attempt),
    openStream: (jobId, attempt, stream) => output.openStream(jobId, attempt, stream),
  };
}

export function openList(core: Core): ListContext & { readonly waiting: WhyWaiting } {
  const { table, env, clock } = core;
  return {
    index: new JobIndex({ table, jobsTable: env.JOBS_TABLE, registryTable: env.REGISTRY_TABLE }),
    labels: new JobLabelStore({ table, registryTable: env.REGISTRY_TABLE }),
    counts: new JobCounts(table, env.REGISTRY_TABLE),
    clock,
    folders: openSettings(core).folders,
    waiting: openWaiting(core),
  };
}

export function openHealth(core: Core): HealthContext {
  const { table, env, clock } = core;
  return {
    counts: new JobCounts(table, env.REGISTRY_TABLE),
    permits: openPermits(core),
    objects: objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE }),
    bucket: env.OUTPUT_BUCKET,
    workers: new LiveWorkers({ table, registryTable: env.REGISTRY_TABLE, clock }),
    home: env.PROMPTQ_RUN_HOME,
  };
}

/** What a job's settings are judged by. */
export function openSettings({ table, env }: Core): SettingsContext {
  const registry = { table, registryTable: env.REGISTRY_TABLE };
  return {
    profiles: new ProfileStore(registry),
    rules: new RuleStore(registry),
    folders: openFolders({ env }),
  };
}

function openFolders({ env }: Pick<Core, 'env'>): Folders {
  return { workspaces: env.PROMPTQ_WORKSPACES, roots: [env.PROMPTQ_TEMP, ...env.PROMPTQ_ALLOWED_ROOTS] };
}

export function openCreation(core: Core): CreationContext {
  const { table, env, clock } = core;
  return {
    jobs: openJobs(core),
    texts: openTexts(core),
    permits: openPermits(core),
    ...openSettings(core),
    projects: new ProjectStore({ table, registryTable: env.REGISTRY_TABLE, clock }),
    clock,
    defaultProfile: env.PROMPTQ_DEFAULT_PROFILE,
  };
}
