import { SeededRandom } from '../seeded-random.ts';
import { OurPolicy } from './our-policy.ts';
import { StepScaling, TargetTracking } from './service-policies.ts';
import { type Trace, traces } from './traces.ts';
import { type Job, World } from './world.ts';

/** Workers that each policy may have at once, unless another number is asked for. */
export const MAX_WORKERS = 200;

/** What came of one trace under one policy; seconds. */
export interface Outcome {
  readonly trace: string;
  readonly policy: string;
  /** From arrival to first start; of a job that was not started: infinite. */
  readonly p50: number;
  readonly p95: number;
  /** The same of the jobs of other projects than the one that floods; undefined: there are none. */
  readonly others?: { readonly p50: number; readonly p95: number };
  /** Of jobs for which a task was started: what was added to that task's own start. */
  readonly overStart: { readonly p50: number; readonly p95: number; readonly most: number };
  readonly dollars: number;
  readonly killed: number;
  readonly reclaimed: number;
  readonly undone: number;
}

/** Runs all traces, or those named, under all policies. The same seed gives the same outcomes. */
export async function compare({
  seed,
  only,
  maxWorkers = MAX_WORKERS,
}: {
  seed: number;
  only?: readonly string[];
  maxWorkers?: number;
}): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const trace of traces(new SeededRandom(seed)).filter(({ name }) => only?.includes(name) ?? true))
    for (const policy of [new OurPolicy(), new TargetTracking(), new StepScaling()]) {
      const world = new World(trace, policy, { seed, maxWorkers });
      await world.run();
      outcomes.push(outcomeOf(trace, policy.name, world));
    }
  return outcomes;
}

function outcomeOf(trace: Trace, policy: string, world: World): Outcome {
  const { jobs } = world;
  const others = jobs.filter(({ project }) => project !== 'a');
  const added = jobs.flatMap(({ waited, ofTask }) => (ofTask === undefined ? [] : [(waited ?? 0) - ofTask]));
  return {
    trace: trace.name,
    policy,
    ...latency(jobs),
    ...(others.length > 0 && { others: latency(others) }),
    overStart: { p50: quantile(added, 0.5), p95: quantile(added, 0.95), most: quantile(added, 1) },
    dollars: world.dollars,
    killed: world.killed,
    reclaimed: world.reclaimed,
    undone: jobs.filter(({ ended }) => !ended).length,
  };
}

function latency(jobs: readonly Job[]): { p50: number; p95: number } {
  const waits = jobs.map(({ waited = Number.POSITIVE_INFINITY }) => waited);
  return { p50: quantile(waits, 0.5), p95: quantile(waits, 0.95) };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}

/** The least that any policy paid which did all the work of a trace. */
export function bestPrice(outcomes: readonly Outcome[], trace: string): number {
  const done = outcomes.filter((one) => one.trace === trace && one.undone === 0);
  return Math.min(...done.map(({ dollars }) => dollars));
}
