import type { AgentName } from '../../lib/contract/agents.ts';
import type { Ending } from '../commands/ending.ts';

/** Longest delay of a timer, in milliseconds. A longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Milliseconds: until the first output, between outputs, and from the final result to the exit. A shell script may stay
 * silent as long as it likes. A silent agent CLI is waiting for a network that does not answer.
 */
export const CLOCKS: Readonly<Record<'cli' | 'script', { start?: number; silence?: number; grace: number }>> = {
  cli: { start: 120_000, silence: 3_600_000, grace: 10_000 },
  script: { grace: 10_000 },
};

/** The four clocks of an attempt. Each one that expires requests the end with its own reason. */
export class AttemptClocks {
  readonly #ending: Ending;
  #clocks: Partial<(typeof CLOCKS)['cli']> = {};
  readonly #timers = new Map<string, NodeJS.Timeout>();

  readonly #total: number | undefined;
  readonly #startedAt = performance.now();
  #ranBefore = 0;

  /** Starts the total clock: the preparation counts too. */
  constructor(ending: Ending, total: number | undefined) {
    this.#ending = ending;
    this.#total = total;
    if (total !== undefined) this.#arm('total', total, 'timed_out');
  }

  /**
   * The attempt continues a session: what ran before counts too.
   * @param ranBefore milliseconds that the attempts before it ran
   */
  onContinued(ranBefore: number): void {
    if (this.#total === undefined) return;
    this.#disarm('total');
    this.#ranBefore = ranBefore;
    const left = this.#left(this.#total);
    // At once, so that no agent starts in no time.
    if (left <= 0) this.#ending.request('timed_out');
    else this.#arm('total', left, 'timed_out');
  }

  /** When the total clock expires, on the clock that shows `now`; both in milliseconds. Undefined: never. */
  deadline(now: number): number | undefined {
    return this.#total === undefined ? undefined : now + Math.max(0, this.#left(this.#total));
  }

  /** Milliseconds until the total clock expires. */
  #left(total: number): number {
    return total - this.#ranBefore - (performance.now() - this.#startedAt);
  }

  /** The agent has started. */
  onStart(agent: AgentName): void {
    this.#clocks = CLOCKS[agent === 'shell' ? 'script' : 'cli'];
    if (this.#clocks.start !== undefined) this.#arm('start', this.#clocks.start, 'no_start');
  }

  /** The agent wrote something. */
  onOutput(): void {
    this.#disarm('start');
    if (this.#clocks.silence === undefined) return;
    const running = this.#timers.get('silence');
    if (running === undefined) this.#arm('silence', this.#clocks.silence, 'silent');
    else running.refresh();
  }

  /** The agent gave its final result. */
  onFinished(): void {
    const { grace } = this.#clocks;
    if (grace !== undefined && !this.#timers.has('grace')) this.#arm('grace', grace, 'finished_not_exited');
  }

  /** After its result the agent began another turn. */
  onUnfinished(): void {
    this.#disarm('grace');
  }

  stop(): void {
    for (const name of [...this.#timers.keys()]) this.#disarm(name);
  }

  #arm(name: string, delay: number, reason: Parameters<Ending['request']>[0]): void {
    this.#timers.set(
      name,
      setTimeout(() => this.#ending.request(reason), Math.min(delay, MAX_TIMER_MS)),
    );
  }

  #disarm(name: string): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }
}
