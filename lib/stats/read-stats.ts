import type { StatsView, TokenSums } from '../contract/schemas/stats.ts';
import { sum } from '../counters/counted-sums.ts';
import type { JobCounts } from '../counters/counts.ts';
import { readProjectStats, STATS_KINDS, shownTokens, statusCountsIn } from '../counters/stats-items.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { Registry } from '../platform/registry.ts';
import type { ProjectStore } from '../projects/projects.ts';
import { dayOf } from './counting/job-stats.ts';
import { spreadOf } from './counting/log-buckets.ts';
import type { StatsStore } from './counting/stats-store.ts';

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
  const [days, models] = await Promise.all([readDays(stats, now), stats.list(STATS_KINDS.model, { limit: MAX_SHOWN })]);
  return {
    today: shownTokens(days.at(-1)?.numbers ?? {}),
    last30Days: shownTokens(sum(...days.map(({ numbers }) => numbers))),
    models: models.items.map(({ id }) => String(id)).filter((id) => !id.startsWith('(')),
  };
}

/** The first projects with their counters. */
export async function readProjects({ registry, projects }: Pick<StatsContext, 'registry' | 'projects'>) {
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
