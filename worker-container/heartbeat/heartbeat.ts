import type { Logger } from '@aws-lambda-powertools/logger';
import type { DispatchQueues, ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { LEASE } from '../../lib/jobs/lifecycle/lease.ts';
import type { Progress } from '../../lib/jobs/receipts/progress.ts';
import type { JobStore } from '../../lib/jobs/store/job-store.ts';
import { type Clock, timestamp } from '../../lib/platform/aws/table-clock.ts';
import { QUEUE } from '../../lib/platform/aws/tables.ts';
import { machineTiming, type Timing } from '../output/timing.ts';

/** Events of a running attempt's job. */
interface HeartbeatEvents {
  /** The job was asked to end; `kill`: without asking the agent first. Called again when a cancel becomes a kill. */
  readonly onEndRequested: (how: { kill: boolean }) => void;
  /** The attempt's fence is void, or may be: no heartbeat was acknowledged for too long. */
  readonly onLost: () => void;
  readonly onWatched: (watched: boolean) => void;
  /** The job has accepted further messages. */
  readonly onMessages?: () => void;
  /** Called with the job whenever it was read. */
  readonly onRead?: (job: Job) => void;
  /** The lease was extended. */
  readonly onBeat: () => void;
  readonly onFailure: (error: unknown) => void;
}

interface HeartbeatOptions {
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly job: Job;
  /** What the agent reported last. Default: nothing. */
  readonly progress?: () => Progress | undefined;
  readonly events: HeartbeatEvents;
  /** Calls back when others have changed the job. @returns ends it */
  readonly listen: (changed: () => void) => () => void;
  /** Default: this machine's. */
  readonly timing?: Timing | undefined;
}

/**
 * Renews an attempt's lease with a write every 10 s, which also brings the job as it is. In between it reads the job when
 * others have changed it: to end it, with a message, with an answer, to follow its log. Stops once the fence is void.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timing: Timing;
  readonly #deafen: () => void;
  #cancelTick: () => void;
  #acknowledgedAt: number;
  #beatAt: number;
  #busy = false;
  #over = false;
  #isChanged = false;
  #messages: number | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#timing = options.timing ?? machineTiming;
    this.#messages = options.job.messages;
    this.#acknowledgedAt = this.#timing.now();
    this.#beatAt = this.#acknowledgedAt;
    this.#cancelTick = this.#scheduleTick();
    this.#deafen = options.listen(() => {
      this.#isChanged = true;
      void this.#tick();
    });
  }

  stop(): void {
    this.#over = true;
    this.#deafen();
    this.#cancelTick();
  }

  #scheduleTick(): () => void {
    return this.#timing.schedule(() => {
      this.#cancelTick = this.#scheduleTick();
      void this.#tick();
    }, LEASE.lookEvery);
  }

  async #tick(): Promise<void> {
    const now = this.#timing.now();
    if (now - this.#acknowledgedAt > LEASE.selfFence) return this.#lost();
    if (this.#busy || this.#over) return;
    this.#busy = true;
    try {
      if (now - this.#beatAt >= LEASE.heartbeatEvery) await this.#beat(now);
      else if (this.#isChanged) await this.#check();
    } catch (error) {
      this.#options.events.onFailure(error);
    } finally {
      this.#busy = false;
    }
  }

  async #beat(sentAt: number): Promise<void> {
    const { jobs, clock, job, events } = this.#options;
    const progress = this.#options.progress?.();
    const current = await jobs.touch(job, {
      lease_until: timestamp(clock.now() + LEASE.duration),
      ...(progress !== undefined && { progress }),
    });
    if (this.#over) return;
    if (current === undefined) return this.#lost();
    this.#acknowledgedAt = sentAt;
    this.#beatAt = sentAt;
    events.onBeat();
    this.#hear(current);
  }

  async #check(): Promise<void> {
    const { jobs, job } = this.#options;
    this.#isChanged = false;
    const current = await jobs.get(job.id, { consistent: true }).catch((error: unknown) => {
      this.#isChanged = true;
      throw error;
    });
    if (this.#over || current === undefined) return;
    if (current.attempt !== job.attempt || current.status !== 'RUNNING') return this.#lost();
    this.#hear(current);
  }

  #hear(current: Job): void {
    const { clock, events } = this.#options;
    events.onRead?.(current);
    events.onWatched(current.watched_until !== undefined && current.watched_until > timestamp(clock.now()));
    if (current.messages !== this.#messages) events.onMessages?.();
    this.#messages = current.messages;
    if (current.cancel_requested_at !== undefined) events.onEndRequested({ kill: current.kill_requested === true });
  }

  #lost(): void {
    this.stop();
    this.#options.events.onLost();
  }
}

/** SQS limits a message's time in flight to 12 hours. An hour before that, the message is acknowledged. */
const MAX_FLIGHT_MS = 11 * 3_600_000;

/** What is done to a received message. */
type MessageQueues = Pick<DispatchQueues, 'extend' | 'acknowledge'>;

/** Keeps a dispatch message in flight while its job runs, so that queue metrics and fairness count the work. */
export class VisibilityExtender {
  readonly #queues: MessageQueues;
  readonly #received: ReceivedMessage;
  readonly #log: Logger;
  readonly #timing: Timing;
  readonly #until: number;
  #acknowledged = false;

  constructor(dispatchQueues: MessageQueues, received: ReceivedMessage, log: Logger, timing: Timing = machineTiming) {
    this.#queues = dispatchQueues;
    this.#received = received;
    this.#log = log;
    this.#timing = timing;
    this.#until = timing.now() + MAX_FLIGHT_MS;
  }

  async extend(): Promise<void> {
    if (this.#timing.now() > this.#until) return await this.acknowledge();
    await this.#queues
      .extend(this.#received, QUEUE.visibilityTimeout)
      .catch((error: Error) => this.#log.warn('dispatch message not in flight; the lease still applies', error));
  }

  /** Acknowledges the message; later calls do nothing. */
  async acknowledge(): Promise<void> {
    if (this.#acknowledged) return;
    this.#acknowledged = true;
    await this.#queues
      .acknowledge(this.#received)
      .catch((error: Error) => this.#log.warn('dispatch message not acknowledged; it will return once', error));
  }
}
