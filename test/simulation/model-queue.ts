import { QUEUE } from '../../lib/aws/tables.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { VirtualTime } from './virtual-time.ts';

interface Message {
  readonly id: string;
  readonly body: string;
  readonly bornAt: number;
  visibleAt: number;
  receives: number;
  handle: string | undefined;
}

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly handle: string;
  readonly receives: number;
}

/** What a standard queue may do to a message beyond what was asked. */
export interface QueueMisdeeds {
  loses(): boolean;
  doubles(): boolean;
  /** Hands out a message that somebody else has in hand, or that was deleted a moment ago. */
  deliversTwice(): boolean;
}

/** A standard queue of SQS: at least once, in no order, with delays, visibility and a queue for what is never done. */
export class ModelQueue {
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #misdeeds: QueueMisdeeds;
  #messages: Message[] = [];
  #count = 0;
  readonly #waiting = new Set<() => void>();
  /** What was received too often. */
  readonly dead: string[] = [];

  constructor(time: VirtualTime, random: SeededRandom, misdeeds: QueueMisdeeds) {
    this.#time = time;
    this.#random = random;
    this.#misdeeds = misdeeds;
  }

  get size(): number {
    return this.#messages.length;
  }

  send(body: string, delaySeconds: number): void {
    if (this.#misdeeds.loses()) return;
    const copies = this.#misdeeds.doubles() ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      this.#count += 1;
      const visibleAt = this.#time.now + delaySeconds * 1000;
      const bornAt = this.#time.now;
      this.#messages.push({ id: `m${this.#count}`, body, bornAt, visibleAt, receives: 0, handle: undefined });
    }
    this.#wake();
  }

  /** Waits up to `waitSeconds` for one message. */
  async receive(waitSeconds: number): Promise<Received | undefined> {
    const until = this.#time.now + waitSeconds * 1000;
    for (;;) {
      const message = this.#next();
      if (message !== undefined) return message;
      if (this.#time.now >= until) return undefined;
      const soonest = this.#messages.reduce((least, { visibleAt }) => Math.min(least, visibleAt), until);
      await this.#change(Math.max(1, soonest - this.#time.now));
    }
  }

  /** An outdated handle of a message in hand may still work, as with SQS. */
  changeVisibility(handle: string, seconds: number): void {
    const message = this.#held(handle);
    if (message === undefined || message.visibleAt <= this.#time.now)
      throw Object.assign(new Error('the message is not in flight'), { name: 'MessageNotInflight' });
    message.visibleAt = this.#time.now + seconds * 1000;
    if (seconds === 0) this.#wake();
  }

  /** Deleting what is not there is no error; with an outdated handle it may do nothing. */
  delete(handle: string): void {
    const message = this.#held(handle);
    if (message === undefined || (message.handle !== handle && this.#random.chance(0.5))) return;
    if (this.#misdeeds.deliversTwice()) message.visibleAt = this.#time.now;
    else this.#messages = this.#messages.filter((each) => each !== message);
  }

  purge(): void {
    this.#messages = [];
  }

  #held(handle: string): Message | undefined {
    const id = handle.split('/')[0];
    return this.#messages.find((message) => message.id === id);
  }

  #next(): Received | undefined {
    const now = this.#time.now;
    this.#messages = this.#messages.filter(({ bornAt }) => now - bornAt < QUEUE.messageRetention * 1000);
    const visible = this.#messages.filter(({ visibleAt }) => visibleAt <= now);
    if (visible.length === 0) return undefined;
    const message = this.#random.chance(0.7) ? visible[0] : this.#random.pick(visible);
    if (message === undefined) return undefined;
    if (message.receives >= QUEUE.maxReceiveCount) {
      this.#messages = this.#messages.filter((each) => each !== message);
      this.dead.push(message.body);
      return this.#next();
    }
    message.receives += 1;
    message.handle = `${message.id}/${message.receives}`;
    if (!this.#misdeeds.deliversTwice()) message.visibleAt = now + QUEUE.visibilityTimeout * 1000;
    return { id: message.id, body: message.body, handle: message.handle, receives: message.receives };
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #change(longest: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        cancel();
        resolve();
      };
      const cancel = this.#time.schedule(done, longest);
      this.#waiting.add(done);
    });
  }
}
