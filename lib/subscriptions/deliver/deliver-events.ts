import { LIMITS } from '../../contract/limits.ts';
import type { EventView } from '../../contract/schemas/event.ts';
import type { Consumer } from '../../events/read-on.ts';
import { asksFor, type Subscription } from '../store/subscription.ts';
import { attempt, type DeliveringContext, type Due, dropUntried, isTooOld } from './deliver.ts';

/*
 * What a subscription does with the events of the feed, one after the other: so those of a job stay in order, and what
 * waits for another try holds up what follows it. The feed is the queue. An event that could not be delivered in the
 * hours after it is dropped and recorded; while the receiver fails, so are the ones of the same age behind it, without
 * an attempt, so that a receiver that was down for a week is behind by a day at most.
 *
 * A digest holds the events of the hour of its first one. Which these are follows from the feed alone, so that each try
 * of a digest has the same events under the same id.
 */

const HOUR_MS = 3_600_000;

/** Handles the events of a subscription; undefined: it is gone or disabled. */
export async function openSubscription(context: DeliveringContext, id: string): Promise<Consumer | undefined> {
  const opened = await context.subscriptions.get(id);
  if (opened?.enabled !== true) return undefined;
  const delivering = new Delivering(context, opened);
  return {
    passes: (event) => asksFor(opened, event) !== undefined,
    take: async (event) => await delivering.take(event),
    flush: async () => await delivering.flush(),
  };
}

class Delivering {
  readonly #context: DeliveringContext;
  readonly #opened: Subscription;
  #digest: EventView[] = [];
  /** When the receiver, which has failed, is tried again. */
  #failsUntil: number | undefined;

  constructor(context: DeliveringContext, opened: Subscription) {
    this.#context = context;
    this.#opened = opened;
  }

  async take(event: EventView): Promise<'taken' | 'held' | number> {
    // It may have been changed meanwhile.
    const subscription = await this.#context.subscriptions.get(this.#opened.id);
    const kind = subscription?.made === this.#opened.made ? asksFor(subscription, event) : undefined;
    if (subscription === undefined || kind === undefined) return this.#passed();
    if (subscription.digest === 'none')
      return await this.#deliver(subscription, { id: event.id, kind, events: [event] });
    const [first] = this.#digest;
    if (first !== undefined && (hourOf(event) > hourOf(first) || this.#digest.length >= MOST)) {
      const done = await this.flush();
      if (done !== 'taken') return done;
    }
    const sendsAt = hourOf(this.#digest[0] ?? event) + HOUR_MS;
    if (sendsAt > this.#context.clock.now()) return sendsAt;
    this.#digest.push(event);
    return 'held';
  }

  /** Sends the digest that is held. */
  async flush(): Promise<'taken' | number> {
    const events = this.#digest;
    const last = events.at(-1);
    if (last === undefined) return 'taken';
    const subscription = await this.#context.subscriptions.get(this.#opened.id);
    const isLeft = subscription?.made === this.#opened.made && subscription.enabled;
    const due: Due = { id: `${last.id}d`, kind: 'digest', events };
    const done = isLeft ? await this.#deliver(subscription, due) : 'taken';
    if (done === 'taken') this.#digest = [];
    return done;
  }

  /** An event that is no longer asked for. */
  #passed(): 'taken' | 'held' {
    return this.#digest.length === 0 ? 'taken' : 'held';
  }

  async #deliver(subscription: Subscription, due: Due): Promise<'taken' | number> {
    if (this.#failsUntil !== undefined) {
      if (!isTooOld(due, this.#context.clock.now())) return this.#failsUntil;
      await dropUntried(this.#context, subscription, due);
      return 'taken';
    }
    const done = await attempt(this.#context, subscription, due);
    if (done === 'dropped') this.#failsUntil = this.#context.clock.now() + RETRY_MS;
    return typeof done === 'string' ? 'taken' : done.again;
  }
}

/** After a drop, the first event that is young enough is tried so much later. */
const RETRY_MS = HOUR_MS;

const MOST = LIMITS.subscriptions.digestEvents;

/** The beginning of the hour of an event, ms since 1970. */
function hourOf({ time }: Pick<EventView, 'time'>): number {
  return Math.floor(Date.parse(time) / HOUR_MS) * HOUR_MS;
}
