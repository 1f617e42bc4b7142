import * as z from 'zod';
import { timestamp } from '../../platform/aws/table-clock.ts';

/** All in milliseconds. */
const LAUNCH = {
  /** How long a launched task is counted on before it has registered. */
  timeoutMs: 180_000,
  /** The pause after the first failed launch; it doubles with each further one, up to the longest. */
  firstPause: 15_000,
  longestPause: 300_000,
} as const;

/** RunTask starts at most this many tasks in one call. */
const TASKS_PER_CALL = 10;

const PROVIDERS = ['FARGATE', 'FARGATE_SPOT'] as const;
type Provider = (typeof PROVIDERS)[number];

export const launchSchema = z.object({
  /** Makes repeated calls one launch. */
  token: z.string(),
  provider: z.enum(PROVIDERS),
  count: z.number(),
  /** The task definition, `family:revision`. */
  build: z.string(),
  at: z.string(),
  /** Ids of its tasks that have neither registered nor ended; absent if ECS has not answered. */
  tasks: z.array(z.string()).optional(),
  /** It was late, and counted as a failure. */
  late: z.boolean().optional(),
});
export type Launch = z.output<typeof launchSchema>;

const failureSchema = z.object({
  /** How many failures in a row. */
  times: z.number(),
  at: z.string(),
  retry_at: z.string(),
  provider: z.enum(PROVIDERS),
  /** As shown to clients: without names of this account's resources. */
  reason: z.string(),
  /** Launches have been made since. */
  retried: z.boolean().optional(),
});

/**
 * The state of launches. Its version lets only one of two concurrent decisions launch. A launch is written here with
 * its token before RunTask is called, so a call with an unknown result is repeated with the token, for which ECS
 * returns the tasks that it has started.
 */
export const scalingSchema = z.object({
  /** Incremented by every write; each write is conditional on it. */
  version: z.number().default(0),
  /** The task definition that workers should run, `family:revision`. */
  wanted: z.string().optional(),
  launches: z.array(launchSchema).default([]),
  failure: failureSchema.optional(),
  /** The part of a Spot task that the weight has accumulated, in percent. */
  spot_owed: z.number().default(0),
});
export type Scaling = z.output<typeof scalingSchema>;

/** How many tasks of a launch may still register. */
function open({ tasks, count }: Launch): number {
  return tasks?.length ?? count;
}

/** The number of tasks that are starting, and of those that are late. */
export function underWay({ launches }: Scaling): { pending: number; late: number } {
  const sum = (of: readonly Launch[]) => of.reduce((total, launch) => total + open(launch), 0);
  return { pending: sum(launches.filter(({ late }) => !late)), late: sum(launches.filter(({ late }) => late)) };
}

/** Forgets tasks that have registered. A failure before such a launch is over. */
export function withRegistered(scaling: Scaling, registered: ReadonlySet<string>): Scaling {
  const { failure } = scaling;
  const came = (launch: Launch) => launch.tasks?.some((task) => registered.has(task)) === true;
  const isOver = failure !== undefined && scaling.launches.some((launch) => came(launch) && launch.at > failure.at);
  const left = withoutTasks(scaling, (task) => registered.has(task));
  return isOver ? { ...left, failure: undefined } : left;
}

/** Forgets tasks that ended before they registered, which counts as a failure. */
export function withEnded(scaling: Scaling, ended: ReadonlyMap<string, string>, now: number): Scaling {
  const launch = scaling.launches.find(({ tasks }) => tasks?.some((task) => ended.has(task)));
  if (launch === undefined) return scaling;
  const reason = launch.tasks?.map((task) => ended.get(task)).find((text) => text !== undefined) ?? '';
  const left = withoutTasks(scaling, (task) => ended.has(task));
  // A late launch has already been counted.
  return launch.late ? left : failed(left, { provider: launch.provider, reason }, now);
}

/** Tasks that have not registered in time are no longer counted on, which counts as a failure. */
export function withLate(scaling: Scaling, now: number): Scaling {
  const longAgo = timestamp(now - LAUNCH.timeoutMs);
  const late = scaling.launches.find((launch) => !launch.late && launch.at < longAgo);
  if (late === undefined) return scaling;
  // A launch that ECS never answered is dropped: the next one has its own token.
  const launches = scaling.launches.flatMap((launch) =>
    launch.at >= longAgo ? [launch] : launch.tasks === undefined ? [] : [{ ...launch, late: true }],
  );
  const reason = `launched ${LAUNCH.timeoutMs / 60_000} minutes ago and not registered yet`;
  return failed({ ...scaling, launches }, { provider: late.provider, reason }, now);
}

/** Records ECS's answer to a launch. */
export function withAnswer(
  scaling: Scaling,
  token: string,
  answer: { readonly tasks: readonly string[]; readonly failure?: string | undefined },
  now: number,
): Scaling {
  const launch = scaling.launches.find((one) => one.token === token);
  if (launch === undefined) return scaling;
  const launches = scaling.launches.flatMap((one) =>
    one.token !== token ? [one] : answer.tasks.length === 0 ? [] : [{ ...one, tasks: [...answer.tasks] }],
  );
  const answered = { ...scaling, launches };
  if (answer.failure === undefined) return answered;
  return failed(answered, { provider: launch.provider, reason: answer.failure }, now);
}

/** Records a call whose outcome is unknown: it is repeated with the same token. */
export function withoutAnswer(scaling: Scaling, token: string, reason: string, now: number): Scaling {
  const launch = scaling.launches.find((one) => one.token === token);
  return launch === undefined ? scaling : failed(scaling, { provider: launch.provider, reason }, now);
}

/** Whether launching pauses because it failed a short while ago. */
export function isPausing({ failure }: Scaling, now: number): boolean {
  return failure !== undefined && failure.retry_at > timestamp(now);
}

/** The last launch, if it failed. */
export function standingFailure({ failure }: Pick<Scaling, 'failure'>): Scaling['failure'] {
  return failure?.retried === true ? undefined : failure;
}

/**
 * The launches of `count` more workers, in batches for one call each. `spotWeight` percent of the workers are on Spot,
 * but none while the last failure was on Spot.
 */
export function withLaunches(
  scaling: Scaling,
  wanted: { count: number; spotWeight: number; build: string; newToken: () => string },
  now: number,
): { scaling: Scaling; launches: readonly Launch[] } {
  const { count, spotWeight, build, newToken } = wanted;
  const withSpot = scaling.failure?.provider !== 'FARGATE_SPOT';
  const owed = withSpot ? scaling.spot_owed + count * spotWeight : 0;
  const spot = Math.min(count, Math.floor(owed / 100));
  const launches = [
    ...batches(count - spot).map((size) => ({ provider: PROVIDERS[0], size })),
    ...batches(spot).map((size) => ({ provider: PROVIDERS[1], size })),
  ].map(({ provider, size }): Launch => ({ token: newToken(), provider, count: size, build, at: timestamp(now) }));
  const failure = scaling.failure && { ...scaling.failure, retried: true };
  return {
    scaling: { ...scaling, failure, spot_owed: owed - 100 * spot, launches: [...scaling.launches, ...launches] },
    launches,
  };
}

function batches(count: number): number[] {
  return Array.from({ length: Math.ceil(count / TASKS_PER_CALL) }, (_, n) =>
    Math.min(TASKS_PER_CALL, count - n * TASKS_PER_CALL),
  );
}

function withoutTasks(scaling: Scaling, isGone: (task: string) => boolean): Scaling {
  const launches = scaling.launches.flatMap((launch) => {
    if (launch.tasks === undefined) return [launch];
    const tasks = launch.tasks.filter((task) => !isGone(task));
    return tasks.length === 0 ? [] : [{ ...launch, tasks }];
  });
  return { ...scaling, launches };
}

/**
 * After a failure on Spot, the same work is launched on demand at once and Spot is paused; else the next launch waits.
 */
function failed(scaling: Scaling, { provider, reason }: { provider: Provider; reason: string }, now: number): Scaling {
  const isNewOfSpot = provider === 'FARGATE_SPOT' && scaling.failure?.provider !== 'FARGATE';
  const times = (scaling.failure?.times ?? 0) + (isNewOfSpot ? 0 : 1);
  const pause = isNewOfSpot ? 0 : Math.min(LAUNCH.longestPause, LAUNCH.firstPause * 2 ** (times - 1));
  return {
    ...scaling,
    failure: { times, at: timestamp(now), retry_at: timestamp(now + pause), provider, reason },
  };
}
