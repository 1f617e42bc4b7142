import type { EventView } from '../contract/schemas/event.ts';
import { type EventFeed, type Place, readPlace } from './event-feed.ts';
import type { FeedReaders, HeldReader } from './feed-readers.ts';

/*
 * How a reader gets on. Its holder reads events behind its place in the order of the feed and gives each to the
 * consumer; the place moves once the event is done with. So a death repeats the event that was being handled, and none
 * is left out.
 *
 * A holder that has reached the end gives the reader up and then asks for the end again. Free readers are looked for
 * after an append. So one of the two sees the other, and no event waits for the minute's pass, which is there for calls
 * that were lost and for holders that died.
 */

/** Handles the events of a reader. To use it: `FeedReaders.addition`, and a line of `CONSUMERS` in `read-feed.ts`. */
export interface Consumer {
  /** Whether an event concerns it. */
  readonly passes: (event: EventView) => boolean;
  /**
   * Handles an event; may get it again after a death. A time (ms since 1970): the event, and all behind it, have to be
   * tried again then. `held`: its place moves with the next event that is `taken`, or by `flush`.
   * @throws any error: the reader is given up, and the minute's pass tries the event again
   */
  readonly take: (event: EventView) => Promise<'taken' | 'held' | number>;
  /** Handles what is held, once the feed is read. A time as above. */
  readonly flush?: () => Promise<'taken' | number>;
}

interface ReadContext {
  readonly feed: Pick<EventFeed, 'read' | 'end'>;
  readonly readers: Pick<FeedReaders, 'claim' | 'move' | 'release' | 'forget'>;
}

/** `left`: nothing is to be done now, or another holds it. `again`: the time was up; another call is to continue. */
type Reading = 'left' | 'waits' | 'again';

/** Events that are read at a time. */
const READ_SIZE = 100;

/**
 * Runs a reader until the feed is read, it has to wait, or the time is up.
 * @param open makes what handles its events, once it is held; undefined: what it reads for is gone, so it is removed
 * @param isTimeUp asked before each event
 */
export async function readOn(
  context: ReadContext,
  id: string,
  open: () => Promise<Consumer | undefined>,
  isTimeUp: () => boolean,
): Promise<Reading> {
  for (;;) {
    const held = await context.readers.claim(id);
    if (held === undefined) return 'left';
    const holding = new Holding(context, held);
    let found: Stop;
    try {
      const consumer = await open();
      if (consumer === undefined) {
        await context.readers.forget(held);
        return 'left';
      }
      found = await holding.run(consumer, isTimeUp);
    } catch (error) {
      await holding.release().catch(() => undefined);
      throw error;
    }
    if (found === 'lost') return 'left';
    await holding.release(typeof found === 'number' ? found : undefined);
    if (typeof found === 'number') return 'waits';
    if (found === 'time') return 'again';
    if ((await context.feed.end()).packet <= holding.place.packet) return 'left';
  }
}

/** Why a holder stops: the feed is read, its time is up, another has the reader, or it waits until a time. */
type Stop = 'end' | 'time' | 'lost' | number;

/** A reader in this process's hands. */
class Holding {
  readonly #context: ReadContext;
  #held: HeldReader;

  constructor(context: ReadContext, held: HeldReader) {
    this.#context = context;
    this.#held = held;
  }

  get place(): Place {
    return this.#held.place;
  }

  async release(until?: number): Promise<void> {
    await this.#context.readers.release(this.#held, until);
  }

  async run(consumer: Consumer, isTimeUp: () => boolean): Promise<Stop> {
    let [from, isHolding] = [this.place, false];
    for (;;) {
      const { events, place, more } = await this.#context.feed.read(from, READ_SIZE, consumer.passes);
      for (const event of events) {
        if (isTimeUp()) return 'time';
        const done = await consumer.take(event);
        if (typeof done === 'number') return done;
        isHolding = done === 'held';
        if (!isHolding && !(await this.#move(readPlace(event.id)))) return 'lost';
      }
      if (!more && isHolding) {
        const done = (await consumer.flush?.()) ?? 'taken';
        if (done !== 'taken') return done;
        isHolding = false;
      }
      if (!more) {
        // The release writes it.
        this.#held = { ...this.#held, place };
        return 'end';
      }
      if (!(await this.#move(isHolding ? this.place : place))) return 'lost';
      from = place;
    }
  }

  /** @returns false: another has it */
  async #move(place: Place): Promise<boolean> {
    const moved = await this.#context.readers.move(this.#held, place);
    if (moved !== undefined) this.#held = moved;
    return moved !== undefined;
  }
}
