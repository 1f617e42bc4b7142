import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The table's time, which leases, due times and timestamps use. */
export interface Clock {
  /** Milliseconds since 1970, in the table's time. */
  now(): number;
}

/** The clock's time sources; parameters, so that a simulation can drive it. */
interface TimeSources {
  /** This machine's clock, milliseconds since 1970; may be wrong. */
  readonly wall: () => number;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
}

const MACHINE: TimeSources = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * The table's time, from the `Date` header of its responses plus the monotonic time since. The header has a resolution
 * of one second, so each response gives bounds: when it was received the table's time was at least the header, and when
 * the request was sent it was less than the header plus one second. The estimate moves only as far as the bounds
 * require: a correct machine clock is exact to the millisecond from the start, a wrong one is within a second after the
 * first response.
 */
export class TableClock implements Clock {
  readonly #sources: TimeSources;
  #offset: number;

  constructor(sources: TimeSources = MACHINE) {
    this.#sources = sources;
    this.#offset = sources.wall() - sources.monotonic();
  }

  now(): number {
    return Math.floor(this.#sources.monotonic() + this.#offset);
  }

  /** Processes a response's `Date` header; `sentAt` is the monotonic time at which its request was sent. */
  observe(dateHeader: string | undefined, sentAt: number): void {
    const date = Date.parse(dateHeader ?? '');
    if (Number.isNaN(date)) return;
    const receivedAt = this.#sources.monotonic();
    if (receivedAt + this.#offset < date) this.#offset = date - receivedAt;
    if (sentAt + this.#offset > date + 999) this.#offset = date + 999 - sentAt;
  }

  /** Lets a DynamoDB client feed this clock. */
  attach(client: DynamoDBClient): void {
    client.middlewareStack.add(
      (next) => async (args) => {
        const sentAt = this.#sources.monotonic();
        const result = await next(args);
        const response = result.response as { headers?: Record<string, string> } | undefined;
        this.observe(response?.headers?.date, sentAt);
        return result;
      },
      { step: 'deserialize', name: 'tableClock', priority: 'low' },
    );
  }
}

/** RFC 3339 in UTC with milliseconds. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
