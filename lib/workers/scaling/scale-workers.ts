import type { Logger } from '@aws-lambda-powertools/logger';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import { type WarmWorkers, warmWorkersAt } from '../../platform/config/warm-workers.ts';
import type { MetricValues } from '../../platform/operations/metrics.ts';
import type { LiveWorkers, WorkerInfo } from '../live-workers.ts';
import {
  isPausing,
  type Launch,
  type Scaling,
  underWay,
  withAnswer,
  withEnded,
  withLate,
  withLaunches,
  withoutAnswer,
  withRegistered,
} from './launches.ts';
import type { ScalingStore } from './scaling-store.ts';
import type { WorkerTasks } from './worker-tasks.ts';

/**
 * Workers are launched by one function, each minute and when new work arrives. It reads the work, the workers that
 * have registered and the launches on record, and decides how many tasks are missing. New launches are recorded before
 * ECS gets them, and its answers afterwards, so that a decision that was cut off is completed by the next one.
 */

/** How many workers may run, and of what kind. */
interface ScalingSettings {
  readonly maxWorkers: number;
  /** Jobs that one worker runs at once. */
  readonly concurrency: number;
  /** Percent of the workers that are launched on Spot. */
  readonly spotWeight: number;
  readonly warmWorkers: WarmWorkers;
}

export interface ScaleContext {
  /** The available work; counts of a kind may stop at `enough`. */
  readonly readDemand: (enough: number) => Promise<Demand>;
  readonly scaling: Pick<ScalingStore, 'read' | 'replace' | 'change'>;
  readonly workers: Pick<LiveWorkers, 'recent' | 'living'>;
  readonly tasks: Pick<WorkerTasks, 'run' | 'ended'>;
  readonly clock: Clock;
  readonly settings: ScalingSettings;
  /** The task definition that workers should run, `family:revision`. */
  readonly wantedBuild: () => Promise<string>;
  readonly newToken: () => string;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Emits metrics. */
  readonly emitMetrics: (values: MetricValues) => void;
}

/** Milliseconds after which a launch without an answer is repeated, and its tasks are checked. */
const CHECK_AFTER_MS = 10_000;

/** How often a decision is repeated: another writer was faster, or Spot workers are launched on demand instead. */
const MAX_ATTEMPTS = 6;

/**
 * Launches as many workers as the work needs, after checking earlier launches. Each launch is recorded first, on
 * condition that the record is unchanged, so that concurrent decisions can't launch the same workers twice.
 */
export async function scaleWorkers(context: ScaleContext): Promise<LaunchDecision> {
  for (let round = 0; round < MAX_ATTEMPTS; round += 1) {
    const known = await context.scaling.read();
    const { decision, next, launches } = await decide(context, known);
    const unanswered = launchesToRepeat(next, context.clock.now());
    const isNews = JSON.stringify(next) !== JSON.stringify(known);
    const written = isNews ? await context.scaling.replace(known, next) : known;
    if (written === undefined) continue;
    if (launches.length + unanswered.length === 0) return decision;
    const { failure } = await run(context, [...unanswered, ...launches]);
    const isSpotShort = failure?.provider === 'FARGATE_SPOT' && failure.retried !== true;
    if (!isSpotShort) return decision;
  }
  throw new Error('no scaling decision could be written: another writer was faster every time');
}

async function decide(context: ScaleContext, known: Scaling) {
  const { settings, workers, clock } = context;
  const [recent, build, demand, ended] = await Promise.all([
    workers.recent(),
    wantedBuild(context, known),
    context.readDemand(settings.maxWorkers * settings.concurrency),
    findEnded(context, known),
  ]);
  const now = clock.now();
  const registered = new Set(recent.flatMap(({ task }) => task ?? []));
  const came = withRegistered({ ...known, wanted: build }, registered);
  const failures = [...ended].filter(([task]) => !registered.has(task));
  const current = withLate(withEnded(came, new Map(failures.map(shownTo)), now), now);
  emitEnded(context, failures, current !== came);
  const decision = decideLaunch({
    demand,
    workers: workers.living(recent).map((worker) => startedWorker(worker, build)),
    ...underWay(current),
    ...settings,
    warm: warmWorkersAt(settings.warmWorkers, now),
  });
  if (decision.launch === 0) {
    const { pending, late } = underWay(current);
    const isDone = decision.need <= decision.started && pending + late === 0;
    // The workers that could not be launched are no longer needed.
    return { decision, next: isDone ? { ...current, failure: undefined } : current, launches: [] };
  }
  if (isPausing(current, now)) return { decision, next: current, launches: [] };
  const { newToken } = context;
  const made = withLaunches(current, { count: decision.launch, build, newToken, ...settings }, now);
  return { decision, next: made.scaling, launches: made.launches };
}

/** The build of the last decision if it can't be read: Parameter Store has a rate for the whole account. */
async function wantedBuild(context: ScaleContext, { wanted }: Scaling): Promise<string> {
  return await context.wantedBuild().catch((error: Error) => {
    if (wanted === undefined) throw error;
    context.log.warn('the build of new workers could not be read; it is that of the last decision', error);
    return wanted;
  });
}

/** A worker of another build than the wanted one counts as draining: it is about to notice. */
function startedWorker({ running, leaving, build }: WorkerInfo, wanted: string): StartedWorker {
  const isOutdated = build !== undefined && build !== wanted;
  // A worker that is leaving for a reason unknown to this version takes no more jobs either.
  const drains = leaving !== undefined || isOutdated;
  return { running: running.length, leaving: leaving === 'stopped' ? 'stopped' : drains ? 'draining' : undefined };
}

/** The launched tasks that have ended. If the check fails, the next one makes up for it. */
async function findEnded(context: ScaleContext, { launches }: Scaling): Promise<Map<string, string>> {
  const before = timestamp(context.clock.now() - CHECK_AFTER_MS);
  const open = launches.filter(({ at }) => at < before).flatMap(({ tasks = [] }) => tasks);
  if (open.length === 0) return new Map();
  return await context.tasks.ended(open).catch((error: Error) => {
    context.log.warn('the state of the launched tasks is unknown', error);
    return new Map();
  });
}

function launchesToRepeat(scaling: Scaling, now: number): readonly Launch[] {
  if (isPausing(scaling, now)) return [];
  return scaling.launches.filter(({ tasks, at }) => tasks === undefined && at < timestamp(now - CHECK_AFTER_MS));
}

/** One after the other: RunTask's rate is limited, and the client waits when the limit is reached. */
async function run(context: ScaleContext, launches: readonly Launch[]): Promise<Scaling> {
  const { tasks, scaling, clock, log } = context;
  const changes: ((known: Scaling) => Scaling)[] = [];
  for (const launch of launches) {
    const { token, provider, count } = launch;
    try {
      const answer = await tasks.run(launch);
      log.info('workers launched', { provider, count: answer.tasks.length, token });
      const failure = answer.failure === undefined ? undefined : reasonForClients(answer.failure);
      if (answer.failure !== undefined) emitFailure(context, count - answer.tasks.length, answer.failure);
      changes.push((known) => withAnswer(known, token, { tasks: answer.tasks, failure }, clock.now()));
    } catch (error) {
      emitFailure(context, count, String(error));
      const reason = 'ECS gave no answer';
      changes.push((known) => withoutAnswer(known, token, reason, clock.now()));
    }
  }
  return await scaling.change((known) => changes.reduce((current, change) => change(current), known));
}

function shownTo([task, reason]: readonly [string, string]): [string, string] {
  return [task, reasonForClients(reason)];
}

function emitEnded(context: ScaleContext, ended: readonly (readonly [string, string])[], changed: boolean): void {
  if (!changed) return;
  if (ended.length > 0) emitFailure(context, ended.length, ended[0]?.[1] ?? '');
  else emitFailure(context, 1, 'launched tasks have not registered in time');
}

/** The one place where launch failures are logged and counted. */
function emitFailure({ log, emitMetrics }: ScaleContext, failures: number, reason: string): void {
  log.error('launch failed', { failures, reason });
  emitMetrics({ LaunchFailures: failures });
}

/** Characters of a reason that clients see. */
const LENGTH = 120;

/**
 * The first part of ECS's reason, for clients. The part after the colon contains names of this account's resources
 * (`CannotPullContainerError: pull … 123456789012.dkr.ecr…`); the log has the whole.
 */
export function reasonForClients(reason: string): string {
  const first = reason.split(': ')[0] ?? '';
  return first
    .replaceAll(/arn:\S+|\b\d{12}\b/g, '…')
    .slice(0, LENGTH)
    .trim();
}

/** The work available for workers. */
export interface Demand {
  /** Jobs that are ready and due; parked ones are not counted. */
  readonly waiting: number;
  readonly running: number;
  /** Vendor accounts with a login to run or revoke. */
  readonly logins: number;
}

/** A worker that registered recently. */
interface StartedWorker {
  /** How many jobs it runs. */
  readonly running: number;
  /** Why it takes no more work: it exits when its jobs have ended (`draining`), or soon, returning them (`stopped`). */
  readonly leaving?: 'draining' | 'stopped' | undefined;
}

/** The inputs of a decision. */
export interface LaunchSituation {
  readonly demand: Demand;
  readonly workers: readonly StartedWorker[];
  /** Tasks that were launched recently and have not registered yet. */
  readonly pending: number;
  /** Tasks that were launched longer ago and have neither registered nor ended: they exist, but are not counted on. */
  readonly late: number;
  /** Jobs that one worker runs at once. */
  readonly concurrency: number;
  /** The least number of workers, whatever the work. */
  readonly warm: number;
  /** Most tasks at once, including those that are exiting. */
  readonly maxWorkers: number;
}

export interface LaunchDecision {
  /** Workers that the work needs, or that wait for work. */
  readonly need: number;
  /** Workers that are started or starting. */
  readonly started: number;
  readonly launch: number;
}

/**
 * How many workers to launch: as many as the work needs, less those that are started. Jobs of draining workers need no
 * other worker; jobs of workers that are being stopped do, since they are handed back.
 */
export function decideLaunch(situation: LaunchSituation): LaunchDecision {
  const { demand, workers, pending, late, concurrency, warm, maxWorkers } = situation;
  const staying = workers.filter(({ leaving }) => leaving === undefined).length;
  const draining = workers.filter(({ leaving }) => leaving === 'draining');
  const served = draining.reduce((sum, { running }) => sum + running, 0);
  const work = demand.waiting + Math.max(0, demand.running - served) + demand.logins;
  const need = Math.min(maxWorkers, Math.max(warm, Math.ceil(work / concurrency)));
  const started = staying + pending;
  const room = maxWorkers - workers.length - pending - late;
  return { need, started, launch: Math.max(0, Math.min(need - started, room)) };
}
