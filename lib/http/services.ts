import { objectClient, queueClient } from '../aws/clients.ts';
import { ProfileStore } from '../catalog/profiles.ts';
import { ProjectStore } from '../catalog/projects.ts';
import { RuleStore } from '../catalog/rules.ts';
import type { HealthContext } from '../jobs/check-health.ts';
import { JobCounts } from '../jobs/counts.ts';
import type { CreationContext } from '../jobs/create-job.ts';
import type { EditContext } from '../jobs/edit-job.ts';
import { JobIndex } from '../jobs/job-index.ts';
import type { SettingsContext } from '../jobs/job-settings.ts';
import { JobStore } from '../jobs/job-store.ts';
import { JobTextStore } from '../jobs/job-texts.ts';
import type { ListContext } from '../jobs/list-jobs.ts';
import { OutputStore } from '../jobs/output-store.ts';
import { PermitQueues } from '../jobs/permit.ts';
import { ProbeStore } from '../jobs/probes.ts';
import type { OutputContext } from '../jobs/read-output.ts';
import type { RereadContext } from '../jobs/reread-job.ts';
import type { TransitionContext } from '../jobs/transition.ts';
import { LiveWorkers } from '../jobs/workers.ts';
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

export function openProbes({ table, env }: Core): ProbeStore {
  return new ProbeStore({ table, registryTable: env.REGISTRY_TABLE });
}

/** What makes an answer of a job. */
export interface JobBodyContext {
  readonly texts: JobTextStore;
  readonly probes: ProbeStore;
}

/** What changes jobs that are there. */
export function openTransitions(core: Core): TransitionContext & JobBodyContext {
  return {
    probes: openProbes(core),
    jobs: openJobs(core),
    texts: openTexts(core),
    permits: openPermits(core),
    clock: core.clock,
    random: Math.random,
  };
}

export function openEdits(core: Core): EditContext & JobBodyContext {
  return { ...openTransitions(core), ...openSettings(core) };
}

export function openOutput(core: Core): OutputContext & { readonly probes: ProbeStore } {
  const output = new OutputStore(objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE }), core.env.OUTPUT_BUCKET);
  return {
    jobs: openJobs(core),
    texts: openTexts(core),
    rules: openSettings(core).rules,
    output,
    clock: core.clock,
    probes: openProbes(core),
  };
}

export function openReread(core: Core): RereadContext {
  const { output } = openOutput(core);
  return {
    ...openTransitions(core),
    ...openCreation(core),
    output,
    readReceipt: (jobId, attempt) => output.readReceipt(jobId, attempt),
    openStream: (jobId, attempt, stream) => output.openStream(jobId, attempt, stream),
  };
}

export function openList(core: Core): ListContext & { readonly probes: ProbeStore } {
  const { table, env, clock } = core;
  return {
    index: new JobIndex({ table, jobsTable: env.JOBS_TABLE, registryTable: env.REGISTRY_TABLE }),
    counts: new JobCounts(table, env.REGISTRY_TABLE),
    clock,
    folders: openSettings(core).folders,
    probes: openProbes(core),
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
  };
}

/** What a job's settings are judged by. */
export function openSettings({ table, env }: Core): SettingsContext {
  const registry = { table, registryTable: env.REGISTRY_TABLE };
  return {
    profiles: new ProfileStore(registry),
    rules: new RuleStore(registry),
    folders: { workspaces: env.PROMPTQ_WORKSPACES, roots: [env.PROMPTQ_TEMP, ...env.PROMPTQ_ALLOWED_ROOTS] },
  };
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
