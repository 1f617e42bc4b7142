import type { NewEvent } from '../../../lib/contract/schemas/event.ts';
import { countedState } from '../../../lib/counters/counts.ts';
import { eventOf } from '../../../lib/events/event-of.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { matchesAny } from '../../../lib/local/triggers/table-stream.ts';
import { COUNTED_RECORDS } from '../../../lib/stats/counting/stream-filter.ts';
import type { Item } from '../model/expressions.ts';

/** A record of the Jobs table's stream. */
export interface StreamRecord {
  readonly sequence: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly event: NewEvent | undefined;
  readonly jobs: { readonly before: Job | undefined; readonly after: Job } | undefined;
}

/** How many shards the stream has. */
export const SHARDS = 2;

/** The records of the Jobs table's stream that its filter lets through. */
export class JobStream {
  readonly shards: readonly StreamRecord[][] = Array.from({ length: SHARDS }, () => []);
  readonly #shardOf = new Map<string, number>();
  #records = 0;

  /** @returns what is wrong with it: a decided change that the filter holds back */
  add(before: Job | undefined, after: Job): string | undefined {
    const event = {
      eventName: before === undefined ? 'INSERT' : 'MODIFY',
      dynamodb: { OldImage: imageOf(before), NewImage: imageOf(after) },
    };
    if (!matchesAny(COUNTED_RECORDS, event))
      return before?.version === after.version ? undefined : 'a decided change is not counted';
    const shard = this.#shardOf.get(after.id) ?? this.#shardOf.size % SHARDS;
    this.#shardOf.set(after.id, shard);
    this.shards[shard]?.push({
      sequence: this.#nextSequence(),
      jobs: { before, after },
      before: before && countedState(before),
      after: countedState(after),
      event: eventOf(before, after),
    });
    return undefined;
  }

  /** Adds the record of a new row with an event. */
  addRow(row: Item): void {
    const event = JSON.parse(String(row.event)) as NewEvent;
    const shard = this.#records % SHARDS;
    const none = { before: undefined, after: undefined, jobs: undefined };
    this.shards[shard]?.push({ sequence: this.#nextSequence(), event, ...none });
  }

  /** Later jobs are written before the first step, each with a separate number. */
  #nextSequence(): string {
    this.#records += 1;
    return String(10n ** 20n + BigInt(this.#records));
  }
}

/** The members that the filter reads. */
function imageOf(job: (Job & { readonly touched?: boolean }) | undefined) {
  return job && { status: { S: job.status }, ...(job.touched !== undefined && { touched: { BOOL: job.touched } }) };
}
