import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { LEASE } from '../../lib/jobs/lifecycle/lease.ts';
import type { Progress } from '../../lib/jobs/receipts/progress.ts';
import type { JobStore } from '../../lib/jobs/store/job-store.ts';
import type { Clock } from '../../lib/platform/aws/table-clock.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
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

export interface HeartbeatOptions {
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly job: Job;
  /** What the agent reported last. Default: nothing. */
  readonly progress?: () => Progress | undefined;
  readonly events: HeartbeatEvents;
  /** Default: this machine's. */
  readonly timing?: Timing | undefined;
}

/**
 * Renews an attempt's lease and detects requests to end its job: a write every 10 s, a read every 2 s in between.
 * Stops once the fence is void.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timing: Timing;
  #cancelTick: () => void;
  #acknowledgedAt: number;
  #beatAt: number;
  #busy = false;
  #over = false;
  #messages: number | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#timing = options.timing ?? machineTiming;
    this.#messages = options.job.messages;
    this.#acknowledgedAt = this.#timing.now();
    this.#beatAt = this.#acknowledgedAt;
    this.#cancelTick = this.#scheduleTick();
  }

  stop(): void {
    this.#over = true;
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
    if (this.#busy) return;
    this.#busy = true;
    try {
      if (now - this.#beatAt >= LEASE.heartbeatEvery) await this.#beat(now);
      else await this.#check();
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
    const current = await jobs.get(job.id, { consistent: true });
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
