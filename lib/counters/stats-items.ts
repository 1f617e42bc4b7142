import type { TokenSums } from '../contract/schemas/stats.ts';
import { STATUSES } from '../contract/statuses.ts';
import { addUsage, type Usage } from '../contract/usage.ts';
import { batchGet } from '../platform/aws/batch-get.ts';
import type { Registry } from '../platform/registry.ts';
import type { StatusCounts } from './counts.ts';

/** The registry kinds under which statistics are stored, by day, model and project. */
export const STATS_KINDS = { day: 'day-figures', model: 'model-figures', project: 'project-figures' } as const;

/** Tokens are stored in these attributes; money in millionths of a dollar, because whole numbers add up exactly. */
const TOKEN_ATTRIBUTES = {
  input_tokens: 't_in',
  cached_input_tokens: 't_cached',
  output_tokens: 't_out',
  reasoning_output_tokens: 't_reasoning',
  cost_usd: 't_cost',
} as const;
const MICRO = 1e6;

/** A project with its counters. */
interface ProjectWithStats<P> {
  readonly project: P;
  readonly jobCounts: StatusCounts;
  readonly tokens: TokenSums;
  /** When one of its jobs last changed its state. */
  readonly lastActivityAt: string | null;
}

/** The counters of projects, in the given order. */
export async function readProjectStats<P extends { readonly id: string }>(
  { table, registryTable }: Registry,
  projects: readonly P[],
): Promise<ProjectWithStats<P>[]> {
  const keys = projects.map(({ id }) => ({ kind: STATS_KINDS.project, id }));
  const items = await batchGet(table, registryTable, keys);
  const found = new Map<unknown, Record<string, unknown>>(items.map((item) => [item.id, item]));
  return projects.map((project) => {
    const item = found.get(project.id) ?? {};
    return {
      project,
      jobCounts: statusCountsIn(item),
      tokens: shownTokens(item),
      lastActivityAt: typeof item.active_at === 'string' ? item.active_at : null,
    };
  });
}

/** The jobs by state in an item of statistics. */
export function statusCountsIn(item: Readonly<Record<string, unknown>>): StatusCounts {
  return Object.fromEntries(STATUSES.map((status) => [status, Number(item[`n_${status}`] ?? 0)])) as StatusCounts;
}

/** Tokens of all attempts, by attribute. */
export function tokensOf(
  job: { readonly usage?: Usage | undefined; readonly earlier_usage?: Usage | undefined } | undefined,
): Record<string, number> {
  if (job?.usage === undefined) return {};
  const { cost_usd = 0, ...usage } = addUsage(job.usage, job.earlier_usage);
  const counts = { ...usage, cost_usd: cost_usd * MICRO };
  return Object.fromEntries(
    Object.entries(TOKEN_ATTRIBUTES).map(([name, attribute]) => [
      attribute,
      Math.round(counts[name as keyof typeof counts]),
    ]),
  );
}

/** The token members of an item of statistics, as shown to clients. */
export function shownTokens(item: Readonly<Record<string, unknown>>): Record<keyof typeof TOKEN_ATTRIBUTES, number> {
  const of = (attribute: string) => (typeof item[attribute] === 'number' ? item[attribute] : 0);
  return {
    input_tokens: of(TOKEN_ATTRIBUTES.input_tokens),
    cached_input_tokens: of(TOKEN_ATTRIBUTES.cached_input_tokens),
    output_tokens: of(TOKEN_ATTRIBUTES.output_tokens),
    reasoning_output_tokens: of(TOKEN_ATTRIBUTES.reasoning_output_tokens),
    cost_usd: of(TOKEN_ATTRIBUTES.cost_usd) / MICRO,
  };
}
