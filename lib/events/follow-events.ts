import { Readable } from 'node:stream';
import { ApiError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { POLL_INTERVAL_MS } from '../jobs/output/reading/follow-logs.ts';
import type { FollowSlot, FollowSlots } from '../jobs/output/reading/follow-slots.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { type EventFeed, type Place, readPlace, writePlace } from './event-feed.ts';
import { type EventsQuery, filterOf, startOf } from './read-events.ts';

interface EventsContext {
  readonly feed: EventFeed;
  readonly clock: Clock;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  /** Checks again whether the client may read. @throws ApiError that becomes the stream's last event. */
  readonly admit: () => Promise<unknown>;
  readonly slots: Pick<FollowSlots, 'acquire'>;
}

const { seconds, silenceSeconds, admitSeconds, passSeconds, pollSeconds } = LIMITS.follow;

/** How much longer than its time a stream may take because its client does not read. */
const GRACE_MS = 5_000;

/**
 * The feed as server-sent events, under the rules of a followed log: it waits for events only with one of the slots
 * that both share, ends after some time, and continues with `Last-Event-ID`. Destroys itself if the client stalls.
 * @throws InvalidFieldError for a place that the feed has not reached
 */
export async function followEvents(
  context: EventsContext,
  query: EventsQuery,
  lastEventId: string | undefined,
): Promise<Readable> {
  const start = lastEventId === undefined ? await startOf(context.feed, query) : readPlace(lastEventId);
  await context.feed.read(start, 1, () => true);
  const follow = new Follow(context, query, start);
  const events = Readable.from(follow.events(), { objectMode: false });
  const checking = setInterval(() => follow.isOverdue() && events.destroy(), 1_000);
  return events.once('close', () => clearInterval(checking));
}

class Follow {
  readonly #context: EventsContext;
  readonly #query: EventsQuery;
  readonly #startedAt: number;
  #place: Place;
  #admittedAt: number;
  #sentAt: number;
  #slot: FollowSlot | undefined;

  constructor(context: EventsContext, query: EventsQuery, start: Place) {
    this.#context = context;
    this.#query = query;
    this.#place = start;
    this.#startedAt = context.clock.now();
    this.#admittedAt = this.#startedAt;
    this.#sentAt = this.#startedAt;
  }

  isOverdue(): boolean {
    return this.#age > (this.#slot === undefined ? passSeconds : seconds) * 1000 + GRACE_MS;
  }

  async *events(): AsyncGenerator<string> {
    yield 'retry: 0\n\n';
    try {
      yield* this.#pass();
      const left = seconds * 1000 - this.#age + GRACE_MS;
      this.#slot = await this.#context.slots.acquire(left);
      if (this.#slot !== undefined) yield* this.#wait();
      // A place that no event names: filters have held back what came before it.
      yield `id: ${writePlace(this.#place)}\n\nevent: continue\n\n`;
      if (this.#slot === undefined) yield `retry: ${pollSeconds * 1000}\n\n`;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      yield `event: error\ndata: ${JSON.stringify({ error: error.message })}\n\n`;
    } finally {
      await this.#slot?.release();
    }
  }

  /** What is there already. */
  async *#pass(): AsyncGenerator<string> {
    let more = true;
    while (more && this.#age < passSeconds * 1000) more = yield* this.#read();
  }

  async *#wait(): AsyncGenerator<string> {
    while (this.#age < seconds * 1000) {
      const now = this.#context.clock.now();
      if (now + POLL_INTERVAL_MS > this.#admittedAt + admitSeconds * 1000) {
        await this.#context.admit();
        this.#admittedAt = now;
      }
      const more = yield* this.#read();
      if (more) continue;
      if (now + POLL_INTERVAL_MS > this.#sentAt + silenceSeconds * 1000) {
        this.#sentAt = now;
        yield ':\n\n';
      }
      await this.#context.pause(POLL_INTERVAL_MS);
    }
  }

  /** @returns whether more is there already */
  async *#read(): AsyncGenerator<string, boolean> {
    const found = await this.#context.feed.read(this.#place, LIMITS.events.list.default, filterOf(this.#query));
    if (found.missed) yield 'event: missed\ndata: {}\n\n';
    for (const event of found.events) yield `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
    if (found.events.length > 0) this.#sentAt = this.#context.clock.now();
    this.#place = found.place;
    return found.more;
  }

  get #age(): number {
    return this.#context.clock.now() - this.#startedAt;
  }
}
