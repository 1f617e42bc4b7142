import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import * as z from 'zod';
import { type FunctionHandler, lambdaContext } from '../gateway/gateway-invocation.ts';

/** The fields that Lambda adds to a stream's event in tumbling windows. */
export interface WindowedEvent extends DynamoDBStreamEvent {
  /** RFC 3339. */
  readonly window: { readonly start: string; readonly end: string };
  /** The return value of the last call of the same window. */
  readonly state: object;
  readonly shardId: string;
  readonly eventSourceARN: string;
  /** The window has ended; this call has no records. */
  readonly isFinalInvokeForWindow: boolean;
  readonly isWindowTerminatedEarly: boolean;
}

/** Milliseconds; the cloud's event source mapping uses the same second. */
const WINDOW_MS = 1_000;
const TIMEOUT_MS = 60_000;

const returnedSchema = z.object({
  state: z.looseObject({}).optional(),
  batchItemFailures: z.array(z.unknown()).optional(),
});

/** Calls a stream's handler in tumbling windows, passing its state from call to call and signalling the end of each. */
export class TumblingWindow {
  readonly #handler: FunctionHandler;
  readonly #source: { arn: string; shard: string };
  #open: { readonly start: number; state: object } | undefined;

  constructor(handler: FunctionHandler, source: { arn: string; shard: string }) {
    this.#handler = handler;
    this.#source = source;
  }

  /** Milliseconds until the current window ends; infinite without one. */
  get remainingMs(): number {
    return this.#open === undefined ? Infinity : Math.max(0, this.#open.start + WINDOW_MS - Date.now());
  }

  /**
   * Ends a window whose time has passed, and passes records on in the current one.
   * @throws any error of the handler; the same records may then be passed again
   */
  async take(records: DynamoDBRecord[]): Promise<void> {
    const start = Math.floor(Date.now() / WINDOW_MS) * WINDOW_MS;
    if (this.#open !== undefined && this.#open.start !== start) {
      await this.#call(this.#open, [], true);
      this.#open = undefined;
    }
    if (records.length === 0) return;
    this.#open ??= { start, state: {} };
    this.#open.state = await this.#call(this.#open, records, false);
  }

  async #call(window: { start: number; state: object }, records: DynamoDBRecord[], isLast: boolean): Promise<object> {
    const event: WindowedEvent = {
      Records: records,
      window: { start: new Date(window.start).toISOString(), end: new Date(window.start + WINDOW_MS).toISOString() },
      state: window.state,
      shardId: this.#source.shard,
      eventSourceARN: this.#source.arn,
      isFinalInvokeForWindow: isLast,
      isWindowTerminatedEarly: false,
    };
    const returned: unknown = await this.#handler(event, lambdaContext('triggers.stream', TIMEOUT_MS));
    const { state = {}, batchItemFailures = [] } = returnedSchema.parse(returned ?? {});
    if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} records of a batch failed`);
    return state;
  }
}
