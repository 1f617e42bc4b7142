import { QUEUE } from '../../../lib/platform/aws/tables.ts';
import type { SeededRandom } from '../seeded-random.ts';
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
  /** Milliseconds since 1970. */
  readonly sentAt: number;
}

/** What a standard queue may do to a message beyond what was asked. */
export interface QueueMisdeeds {
  loses(): boolean;
  doubles(): boolean;
  /** Delivers a message that another receiver has in flight, or that was deleted a moment ago. */
  deliversTwice(): boolean;
  /** Hands out another message than the one that waits longest. */
  reorders(): boolean;
  /** Called when a message was given up: for its age, or because it was received too often. */
  onExpired?(): void;
  onDeadLetter?(): void;
}

/** Default: as the deployment's queues are. */
export interface QueueLimits {
  /** Milliseconds. */
  readonly retention: number;
  readonly maxReceiveCount: number;
}

const LIMITS: QueueLimits = { retention: QUEUE.messageRetention * 1000, maxReceiveCount: QUEUE.maxReceiveCount };

/** A standard queue of SQS: at least once, in no order, with delays, visibility and a queue for what is never done. */
export class ModelQueue {
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #misdeeds: QueueMisdeeds;
  #messages: Message[] = [];
  #count = 0;
  readonly #waiting = new Set<() => void>();
  readonly #limits: QueueLimits;
  /** Takes what was received too often. */
  readonly #deadLetters: ModelQueue | undefined;

  constructor(
    time: VirtualTime,
    random: SeededRandom,
    misdeeds: QueueMisdeeds,
    { limits = LIMITS, deadLetters }: { limits?: QueueLimits; deadLetters?: ModelQueue } = {},
  ) {
    this.#limits = limits;
    this.#deadLetters = deadLetters;
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
    for (let copy = 0; copy < copies; copy += 1) this.#add(body, this.#time.now + delaySeconds * 1000);
    this.#wake();
  }

  /** Takes what another queue gave up: nothing is lost or doubled on the way. */
  take(body: string): void {
    this.#add(body, this.#time.now);
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

  /** Up to so many further messages that are there now. */
  more(most: number): Received[] {
    const received: Received[] = [];
    for (let message = most > 0 ? this.#next() : undefined; message !== undefined; ) {
      received.push(message);
      message = received.length < most ? this.#next() : undefined;
    }
    return received;
  }

  /** An outdated handle of a message in hand may still work, as with SQS. */
  changeVisibility(handle: string, seconds: number): void {
    const message = this.#held(handle);
    if (message === undefined || message.visibleAt <= this.#time.now)
      throw Object.assign(new Error('the message is not in flight'), { name: 'MessageNotInflight' });
    message.visibleAt = this.#time.now + seconds * 1000;
    if (seconds === 0) this.#wake();
  }

  bodyOf(handle: string): string | undefined {
    return this.#held(handle)?.body;
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

  #add(body: string, visibleAt: number): void {
    this.#count += 1;
    const bornAt = this.#time.now;
    this.#messages.push({ id: `m${this.#count}`, body, bornAt, visibleAt, receives: 0, handle: undefined });
  }

  #held(handle: string): Message | undefined {
    const id = handle.split('/')[0];
    return this.#messages.find((message) => message.id === id);
  }

  #next(): Received | undefined {
    const now = this.#time.now;
    const kept = this.#messages.filter(({ bornAt }) => now - bornAt < this.#limits.retention);
    for (let expired = this.#messages.length - kept.length; expired > 0; expired -= 1) this.#misdeeds.onExpired?.();
    this.#messages = kept;
    const visible = this.#messages.filter(({ visibleAt }) => visibleAt <= now);
    if (visible.length === 0) return undefined;
    const message = visible.length > 1 && this.#misdeeds.reorders() ? this.#random.pick(visible) : visible[0];
    if (message === undefined) return undefined;
    if (message.receives >= this.#limits.maxReceiveCount) {
      this.#messages = this.#messages.filter((each) => each !== message);
      this.#deadLetters?.take(message.body);
      this.#misdeeds.onDeadLetter?.();
      return this.#next();
    }
    message.receives += 1;
    message.handle = `${message.id}/${message.receives}`;
    if (!this.#misdeeds.deliversTwice()) message.visibleAt = now + QUEUE.visibilityTimeout * 1000;
    return {
      id: message.id,
      body: message.body,
      handle: message.handle,
      receives: message.receives,
      sentAt: this.#time.wallAt(message.bornAt),
    };
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
