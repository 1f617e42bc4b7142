import { type ProfileStore, viewProfile } from '../catalog/profiles.ts';
import { LIMITS } from '../contract/limits.ts';
import { viewLimits } from '../contract/limits-view.ts';
import type { EnvironmentView } from '../contract/schemas/environment.ts';
import type { StatsView, TokenSums } from '../contract/schemas/stats.ts';
import { sum } from '../counters/counted-sums.ts';
import type { JobCounts } from '../counters/counts.ts';
import { readProjectStats, STATS_KINDS, shownTokens, statusCountsIn } from '../counters/stats-items.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { Registry } from '../platform/registry.ts';
import type { ProjectStore } from '../projects/projects.ts';
import type { LiveWorkers, WorkerInfo } from '../workers/live-workers.ts';
import { spreadOf } from './counting/log-buckets.ts';
import type { StatsStore } from './counting/stats-store.ts';
import { dayOf } from './counting/stats-store.ts';

/**
 * Two views are read from the counters: the statistics of jobs, projects and tokens, and the environment of the
 * service with its workers, profiles and limits. Both take the same reads of counters, whose number does not depend on
 * the number of jobs.
 */

/** Dependencies for reading statistics. */
export interface StatsContext {
  readonly registry: Registry;
  readonly counts: JobCounts;
  readonly stats: StatsStore;
  readonly projects: ProjectStore;
}

const DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/** How many projects and models an overview shows. */
const MAX_SHOWN = 100;

type Numbers = Readonly<Record<string, number>>;

/** The statistics of jobs, projects and tokens. The cost does not depend on the number of jobs. */
export async function readStats(context: StatsContext, now: number): Promise<StatsView> {
  const [statuses, days, models, projects] = await Promise.all([
    context.counts.read(),
    readDays(context.stats, now),
    context.stats.list(STATS_KINDS.model, { limit: MAX_SHOWN }),
    readProjects(context),
  ]);
  const all = sum(...days.map(({ numbers }) => numbers));
  return {
    time: timestamp(now),
    statuses,
    jobs: {
      total: Object.values(statuses).reduce((total, count) => total + count, 0),
      by_status: statuses,
      last_30_days: endsIn(all),
      by_day: days.map(({ day, numbers }) => ({ day, ...endsIn(numbers) })),
    },
    projects: {
      items: projects.items.map(({ project: { id, name }, jobCounts, tokens, lastActivityAt }) => ({
        id,
        name,
        job_counts: jobCounts,
        tokens,
        last_activity_at: lastActivityAt,
      })),
      more: projects.more,
    },
    tokens: {
      last_30_days: shownTokens(all),
      by_day: days.map(({ day, numbers }) => ({ day, ...shownTokens(numbers) })),
      by_model: models.items.map((item) => ({ model: String(item.id), ...shownTokens(item) })),
      by_project: projects.items.map(({ project: { id, name }, tokens }) => ({
        project_id: id,
        project: name,
        ...tokens,
      })),
    },
  };
}

/** Usage of today and of the last thirty days, and the models of all time. */
export async function readTokens(
  stats: StatsStore,
  now: number,
): Promise<{ today: TokenSums; last30Days: TokenSums; models: string[] }> {
  const [days, models] = await Promise.all([readDays(stats, now), readModels(stats)]);
  return {
    today: shownTokens(days.at(-1)?.numbers ?? {}),
    last30Days: shownTokens(sum(...days.map(({ numbers }) => numbers))),
    models,
  };
}

/** The models that jobs have used. */
export async function readModels(stats: StatsStore): Promise<string[]> {
  const { items } = await stats.list(STATS_KINDS.model, { limit: MAX_SHOWN });
  return items.map(({ id }) => String(id)).filter((id) => !id.startsWith('('));
}

/** The first projects with their counters. */
async function readProjects({ registry, projects }: Pick<StatsContext, 'registry' | 'projects'>) {
  const { items, nextCursor } = await projects.page({ limit: MAX_SHOWN });
  return { items: await readProjectStats(registry, items), more: nextCursor !== null };
}

/** One entry for each of the last days, today last. */
async function readDays(stats: StatsStore, now: number): Promise<{ day: string; numbers: Numbers }[]> {
  const days = Array.from({ length: DAYS }, (_, at) => dayOf(timestamp(now - (DAYS - 1 - at) * DAY_MS)));
  const { items } = await stats.list(STATS_KINDS.day, { from: days[0] ?? '', limit: DAYS + 1 });
  const found = new Map(items.map((item) => [item.id, numbersOf(item)]));
  return days.map((day) => ({ day, numbers: found.get(day) ?? {} }));
}

function numbersOf(item: Readonly<Record<string, unknown>>): Numbers {
  return Object.fromEntries(
    Object.entries(item).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}

function endsIn(numbers: Numbers): StatsView['jobs']['last_30_days'] {
  const { SUCCEEDED: succeeded, FAILED: failed, CANCELLED: cancelled } = statusCountsIn(numbers);
  return {
    succeeded,
    failed,
    cancelled,
    success_rate: succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
    queue_wait_ms: spreadOf(bucketsIn(numbers, 'w')),
    duration_ms: spreadOf(bucketsIn(numbers, 'd')),
  };
}

function bucketsIn(numbers: Numbers, prefix: 'w' | 'd'): Map<number, number> {
  const buckets = Object.entries(numbers).filter(([name]) => name.startsWith(`${prefix}_`));
  return new Map(buckets.map(([name, count]) => [Number(name.slice(2)), count]));
}

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
