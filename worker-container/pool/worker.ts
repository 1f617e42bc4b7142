import type { Logger } from '@aws-lambda-powertools/logger';
import { type ClaimContext, type Claimed, claim } from '../../lib/jobs/admission/claim.ts';
import { type DispatchQueues, MAX_BATCH, type ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Band } from '../../lib/platform/aws/tables.ts';
import type { MetricValues } from '../../lib/platform/operations/metrics.ts';
import { type ReconcilerContext, takeOverLostJobs } from '../../lib/reconciler/reconcile-jobs.ts';
import type { AttemptContext } from '../attempt/attempt.ts';
import { runAttempt } from '../attempt/run-attempt.ts';
import { machineTiming, pause, type Timing } from '../output/timing.ts';
import { removeLeftovers } from '../service-accounts/leftover-files.ts';
import type { ServiceAccount, ServiceAccounts } from '../service-accounts/service-account.ts';
import type { MessagePoller } from './message-poller.ts';

/** Milliseconds before a slot continues after an unexpected error. */
const FAULT_PAUSE = 1_000;
/** Milliseconds between the checks whether a full disk has room again. */
const ROOM_CHECK_INTERVAL_MS = 5_000;
/** Milliseconds until a disk counts as full for good, or a worker as one that can't start processes: jobs end by then. */
const UNFIT_AFTER_MS = 60_000;
/** Milliseconds in which a disk that had room is not probed again, by any slot: a probe writes a file. */
const ROOM_KNOWN_MS = 1_000;

type Context = Omit<AttemptContext, 'account' | 'slot'> & ReconcilerContext & ClaimContext;

export type WorkerContext = Context & {
  readonly source: MessagePoller;
  /** One for each slot. Default: all run as this process's user. */
  readonly accounts?: ServiceAccounts | undefined;
  /** @throws Error while the worker's disk is full: then no job is claimed. Default: there is room. */
  readonly probeDisk?: () => Promise<void>;
  /** Called with the reason once this worker has been unable to run jobs for so long that another one is needed. Default: nothing is done. */
  readonly onUnfit?: (why: string) => void;
  /** Receives metrics. Default: they are dropped. */
  readonly emitMetrics?: (values: MetricValues) => void;
};

/** Where one job at a time runs. */
interface Slot {
  readonly number: number;
  readonly account: ServiceAccount | undefined;
}

/** Signals of a worker's shutdown. */
interface WorkerSignals {
  /** Receive no new messages. */
  readonly draining: AbortSignal;
  /** Release running attempts. */
  readonly stopping: AbortSignal;
}

/**
 * Running jobs that a worker checks when a message has come back without work, and milliseconds in which it checks them
 * once. Each such message would otherwise read all of them; the reconciler does so every minute.
 */
const CHECK_OF_RUNNING = { most: 100, everyMs: 3_000 } as const;

/** Slots that receive dispatch messages and run attempts until the worker shuts down. */
export class Worker {
  readonly #context: WorkerContext;
  readonly #signals: WorkerSignals;
  readonly #acknowledger: Acknowledger;
  readonly #running = new Set<string>();
  #usedAt = performance.now();
  #hadRoomAt = Number.NEGATIVE_INFINITY;
  #fullSince: number | undefined;
  #shortSince: number | undefined;
  #checkedRunningAt = Number.NEGATIVE_INFINITY;

  constructor(context: WorkerContext, signals: WorkerSignals) {
    this.#context = context;
    this.#signals = signals;
    this.#acknowledger = new Acknowledger(context);
  }

  /** Ids of the jobs that run now. */
  get running(): string[] {
    return [...this.#running];
  }

  /** Milliseconds since it last ran something; 0 while it does. */
  get idleSince(): number {
    return this.#running.size > 0 ? 0 : performance.now() - this.#usedAt;
  }

  /** Runs until `draining` is aborted and every attempt has ended. */
  async run(slots: number): Promise<void> {
    await Promise.all(
      Array.from({ length: slots }, (_, number) =>
        this.#slot({ number, account: this.#context.accounts?.slots[number] }),
      ),
    );
    await this.#acknowledger.flush();
  }

  async #slot(slot: Slot): Promise<void> {
    const { account } = slot;
    const { source, log, timing = machineTiming } = this.#context;
    while (!this.#signals.draining.aborted) {
      // Before the check for room: what the last job left may fill the disk.
      if (account !== undefined) await removeLeftovers(account, this.#context);
      if (!(await this.#hasRoom())) {
        await this.#pause(ROOM_CHECK_INTERVAL_MS);
        continue;
      }
      const received = await source.next(this.#signals.draining);
      if (received === undefined) continue;
      try {
        await this.#use(received, slot);
      } catch (error) {
        const about = { job_id: received.message.job, error: error as Error };
        log.error('a dispatch message could not be used; it will be redelivered', about);
        await pause(timing, FAULT_PAUSE);
      }
    }
  }

  async #hasRoom(): Promise<boolean> {
    const now = (this.#context.timing ?? machineTiming).now();
    if (now - this.#hadRoomAt < ROOM_KNOWN_MS) return true;
    try {
      await this.#context.probeDisk?.();
      this.#hadRoomAt = now;
      this.#fullSince = undefined;
      return true;
    } catch (error) {
      this.#context.log.error("no job is claimed: the work folder can't be written", error as Error);
      this.#fullSince ??= now;
      if (now - this.#fullSince >= UNFIT_AFTER_MS) this.#context.onUnfit?.('the disk of the work folder stays full');
      return false;
    }
  }

  async #use(received: ReceivedMessage, slot: Slot): Promise<void> {
    const { dispatchQueues, workerId } = this.#context;
    if (this.#signals.draining.aborted) return dispatchQueues.release(received);
    const claimed = await claim(this.#context, received, workerId);
    if (claimed.kind === 'claimed') {
      this.#context.onChange?.(claimed.job.id);
      return await this.#run(claimed, received, slot);
    }
    // The message of a dead worker may have come back: its job is still RUNNING.
    if (received.receives > 1) await this.#checkRunning();
    return claimed.kind === 'acknowledge'
      ? this.#acknowledge(received)
      : dispatchQueues.retryLater(received, claimed.seconds);
  }

  async #checkRunning(): Promise<void> {
    const now = (this.#context.timing ?? machineTiming).now();
    if (now - this.#checkedRunningAt < CHECK_OF_RUNNING.everyMs) return;
    this.#checkedRunningAt = now;
    await takeOverLostJobs(this.#context, { most: CHECK_OF_RUNNING.most });
  }

  /** Acknowledges a message that found no job in any of its deliveries. */
  async #acknowledge(received: ReceivedMessage): Promise<void> {
    this.#context.emitMetrics?.({ PermitsDropped: 1 });
    await this.#acknowledger.acknowledge(received);
  }

  async #run({ job, reads }: Claimed, received: ReceivedMessage, slot: Slot): Promise<void> {
    const acknowledge = (handled: ReceivedMessage) => this.#acknowledger.acknowledge(handled);
    let isShort = false;
    const onShortage = () => {
      isShort = true;
    };
    const at = { account: slot.account, slot: slot.number };
    const context = { ...this.#context, ...at, reads, acknowledge, onShortage };
    this.#running.add(job.id);
    try {
      const ended = await runAttempt(context, job, received, this.#signals.stopping);
      this.#noteShortage(isShort);
      // The job was released: the next one would lack the same thing, disk space or a service that jobs are read from.
      if (ended?.reason === 'waiting_for_worker') await this.#pause(ROOM_CHECK_INTERVAL_MS);
    } finally {
      this.#running.delete(job.id);
      this.#usedAt = performance.now();
    }
  }

  /** Whether the last attempt that ended could not start, in any slot. */
  #noteShortage(isShort: boolean): void {
    if (!isShort) {
      this.#shortSince = undefined;
      return;
    }
    const now = (this.#context.timing ?? machineTiming).now();
    this.#shortSince ??= now;
    if (now - this.#shortSince >= UNFIT_AFTER_MS) this.#context.onUnfit?.('no process can be started');
  }

  async #pause(milliseconds: number): Promise<void> {
    await pause(this.#context.timing ?? machineTiming, milliseconds, this.#signals.draining);
  }
}

/** Milliseconds that a handled message waits for others, to be deleted together. */
const GATHER_MS = 200;

interface AcknowledgerOptions {
  readonly dispatchQueues: Pick<DispatchQueues, 'acknowledgeAll'>;
  readonly log: Logger;
  /** Default: this machine's. */
  readonly timing?: Timing | undefined;
}

/** Deletes handled dispatch messages, several in one request. One that could not be deleted returns and finds no job. */
class Acknowledger {
  readonly #options: AcknowledgerOptions;
  readonly #pending = new Map<Band, ReceivedMessage[]>();
  readonly #deleting = new Set<Promise<void>>();

  constructor(options: AcknowledgerOptions) {
    this.#options = options;
  }

  /** Deletes the message soon. */
  async acknowledge(received: ReceivedMessage): Promise<void> {
    const { band } = received.message;
    const pending = this.#pending.get(band) ?? [];
    pending.push(received);
    if (pending.length >= MAX_BATCH) this.#delete(band);
    else if (pending.length === 1) {
      this.#pending.set(band, pending);
      (this.#options.timing ?? machineTiming).schedule(() => this.#delete(band), GATHER_MS);
    }
  }

  /** Deletes what is left. Never rejects. */
  async flush(): Promise<void> {
    for (const band of this.#pending.keys()) this.#delete(band);
    await Promise.all(this.#deleting);
  }

  #delete(band: Band): void {
    const pending = this.#pending.get(band) ?? [];
    this.#pending.delete(band);
    const { dispatchQueues, log } = this.#options;
    const deleting = dispatchQueues
      .acknowledgeAll(band, pending)
      .catch((error: Error) => log.warn('dispatch messages not acknowledged; they will return once', error))
      .finally(() => this.#deleting.delete(deleting));
    this.#deleting.add(deleting);
  }
}
