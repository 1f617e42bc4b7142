import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@aws-lambda-powertools/logger';
import * as z from 'zod';
import type { Clock } from '../../lib/platform/aws/table-clock.ts';
import { type WarmWorkers, warmWorkersAt } from '../../lib/platform/config/warm-workers.ts';
import type { LiveWorkers } from '../../lib/workers/live-workers.ts';
import type { ScalingStore } from '../../lib/workers/scaling/scaling-store.ts';
import type { MessagePoller } from './message-poller.ts';
import type { Registration } from './registration.ts';

/** How often (ms) a worker checks whether to shut down. */
const POLL_INTERVAL_MS = 1_000;

interface IdleShutdownOptions {
  /** Milliseconds without work after which the worker shuts down; undefined: it stays. */
  readonly idleFor: number | undefined;
  /** Milliseconds since its last work; 0 while it works. */
  readonly idleSince: () => number;
  /** Whether the vendor account needs a worker. Read each time, since no other worker may come for it. */
  readonly isNeeded: () => Promise<boolean>;
  /** Whether the deployment keeps this worker running without work. */
  readonly isKept: () => Promise<boolean>;
  /** Whether workers of another build are wanted. */
  readonly isOutdated: () => Promise<boolean>;
  readonly source: Pick<MessagePoller, 'lastPoll'>;
  readonly registration: Pick<Registration, 'announceDraining'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Shuts an idle or outdated worker down. The worker announces it first, so that worker scaling no longer counts on it.
 * A last poll then finds jobs that arrived before the announcement; if there is one, the worker stays. A message that
 * is delivered to a process that has ended is hidden for 40 s.
 */
export class IdleShutdown {
  readonly #options: IdleShutdownOptions;

  constructor(options: IdleShutdownOptions) {
    this.#options = options;
  }

  /** Resolves when the worker is to receive no more messages, or when `draining` is aborted. */
  async wait(draining: AbortSignal): Promise<void> {
    while (!draining.aborted) {
      await sleep(POLL_INTERVAL_MS, undefined, { signal: draining }).catch(() => undefined);
      if (draining.aborted) return;
      const isShuttingDown = await this.#check().catch((error: Error) => {
        this.#options.log.warn('checking whether to shut down failed; this worker stays', error);
        return false;
      });
      if (isShuttingDown) return;
    }
  }

  async #check(): Promise<boolean> {
    const { idleFor, idleSince, isKept, isOutdated, registration, log } = this.#options;
    if (await isOutdated()) {
      await registration.announceDraining('outdated');
      log.info('another build is wanted; this worker shuts down when its jobs have ended');
      return true;
    }
    if (idleFor === undefined || idleSince() < idleFor || (await isKept())) return false;
    return await this.#shutDownIfIdle();
  }

  async #shutDownIfIdle(): Promise<boolean> {
    const { source, isNeeded, registration, log } = this.#options;
    let isShuttingDown = false;
    try {
      await registration.announceDraining('idle');
      isShuttingDown = !(await isNeeded()) && (await source.lastPoll());
    } finally {
      if (!isShuttingDown) await registration.announceDraining(undefined);
    }
    if (isShuttingDown) log.info('idle; this worker shuts down');
    return isShuttingDown;
  }
}

/** How often (ms) a worker checks whether another build is wanted. */
const OUTDATED_INTERVAL_MS = 15_000;

interface BuildCheckOptions {
  /** Undefined outside ECS. */
  readonly metadataUri: string | undefined;
  readonly scaling: Pick<ScalingStore, 'readState'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Compares the build of this worker's task with the wanted one. Workers of the local run are never outdated. */
export class BuildCheck {
  readonly #options: BuildCheckOptions;
  #task: Awaited<ReturnType<typeof readTaskIdentity>>;
  #nextCheckAt = 0;

  constructor(options: BuildCheckOptions) {
    this.#options = options;
  }

  /** The task that this worker runs in; undefined outside ECS, and until ECS has identified it. */
  get task() {
    return this.#task;
  }

  /** ECS may not answer while the machine is busy starting: later checks ask it again. */
  async readTask(): Promise<void> {
    this.#task = await readTaskIdentity(this.#options.metadataUri).catch((error: Error) => {
      this.#options.log.warn('ECS did not identify this task: whether it is outdated is unknown until it does', error);
      return undefined;
    });
  }

  async isOutdated(): Promise<boolean> {
    if (performance.now() < this.#nextCheckAt) return false;
    this.#nextCheckAt = performance.now() + OUTDATED_INTERVAL_MS;
    if (this.#task === undefined) await this.readTask();
    if (this.#task === undefined) return false;
    const { wanted } = await this.#options.scaling.readState();
    return wanted !== undefined && wanted !== this.#task.build;
  }
}

/** https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-metadata-endpoint-v4-fargate-response.html */
const taskSchema = z.object({ TaskARN: z.string(), Family: z.string(), Revision: z.string() });

/** The task that this worker runs in. */
interface OwnTask {
  readonly task: string;
  /** Its task definition, `family:revision`. */
  readonly build: string;
}

/** Milliseconds. */
const TIMEOUT_MS = 5_000;

/** Asks ECS for this task's identity; undefined: the worker runs in none. @throws if ECS does not answer */
async function readTaskIdentity(metadataUri: string | undefined): Promise<OwnTask | undefined> {
  if (metadataUri === undefined) return undefined;
  const answer = await fetch(`${metadataUri}/task`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { TaskARN, Family, Revision } = taskSchema.parse(await answer.json());
  return { task: TaskARN.slice(TaskARN.lastIndexOf('/') + 1), build: `${Family}:${Revision}` };
}

/** How long (ms) an answer holds: an idle worker asks every second. */
const ANSWER_FOR_MS = 30_000;

interface KeptWarmOptions {
  readonly warm: WarmWorkers;
  readonly clock: Clock;
  readonly workers: Pick<LiveWorkers, 'list'>;
  readonly workerId: string;
}

/**
 * Asks whether this worker is one of those that the deployment keeps running without work: the first by their ids, so
 * that all workers agree.
 */
export function keptWarm({ warm, clock, workers, workerId }: KeptWarmOptions): () => Promise<boolean> {
  let known: { readonly until: number; readonly isKept: boolean } | undefined;
  return async () => {
    const now = clock.now();
    const count = warmWorkersAt(warm, now);
    if (count === 0) return false;
    if (known !== undefined && now < known.until) return known.isKept;
    const before = (await workers.list()).filter(({ id, leaving }) => id < workerId && leaving === undefined);
    known = { until: now + ANSWER_FOR_MS, isKept: before.length < count };
    return known.isKept;
  };
}
