import type { ProfileStore } from '../catalog/profiles.ts';
import { viewProfile } from '../catalog/profiles.ts';
import { LIMITS } from '../contract/limits.ts';
import { viewLimits } from '../contract/limits-view.ts';
import type { EnvironmentView } from '../contract/schemas/environment.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { LiveWorkers, WorkerInfo } from '../workers/live-workers.ts';
import { readProjects, readTokens, type StatsContext } from './read-stats.ts';

interface EnvironmentContext extends StatsContext {
  readonly workers: LiveWorkers;
  readonly profiles: ProfileStore;
}

/** Facts about the deployment itself. */
interface DeploymentFacts {
  readonly region: string;
  readonly version: string;
  readonly timeoutUnit: string;
  readonly defaultProfile: string;
  readonly scopeEnforcement: boolean;
  readonly maxBodyBytes: number;
}

/** The environment that the service runs in, from the workers' last registrations and from counters. */
export async function readEnvironment(
  context: EnvironmentContext,
  deployment: DeploymentFacts,
  now: number,
): Promise<EnvironmentView> {
  const [workers, statuses, tokens, projects, profiles] = await Promise.all([
    context.workers.list(),
    context.counts.read(),
    readTokens(context.stats, now),
    readProjects(context),
    context.profiles.page({ limit: LIMITS.catalog.profiles }),
  ]);
  const views = profiles.items.map((stored) => viewProfile(stored, deployment));
  const named = views.flatMap(({ model }) => model ?? []);
  return {
    time: timestamp(now),
    hosts: workers.map(hostOf),
    service: {
      region: deployment.region,
      version: deployment.version,
      node_version: process.version,
      timeout_unit: deployment.timeoutUnit,
      default_profile: deployment.defaultProfile,
      scope_enforcement: deployment.scopeEnforcement,
      max_body_bytes: deployment.maxBodyBytes,
      limits: viewLimits(LIMITS),
    },
    profiles: views,
    models: [...new Set([...named, ...tokens.models])].sort(),
    projects: {
      items: projects.items.map(({ project: { id, name }, jobCounts }) => ({ id, name, job_counts: jobCounts })),
      more: projects.more,
    },
    jobs: statuses,
    token_usage: { today: tokens.today, last_30_days: tokens.last30Days },
  };
}

function hostOf({ machine, ...worker }: WorkerInfo): EnvironmentView['hosts'][number] {
  return {
    worker_id: worker.id,
    host: worker.host,
    version: worker.version,
    started_at: worker.started_at,
    seen_at: worker.seen_at,
    slots: worker.concurrency,
    running_job_ids: worker.running,
    cpu: machine ? { count: machine.cpus, load_1m: machine.load_1m, architecture: machine.architecture } : null,
    memory: machine?.memory ?? null,
    storage: machine?.storage ?? null,
    node_version: machine?.node_version ?? null,
    platform: machine?.platform ?? null,
  };
}
