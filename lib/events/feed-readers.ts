import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { queriedItems } from '../platform/aws/queried-items.ts';
import { type Clock, timestamp } from '../platform/aws/table-clock.ts';
import { EVENT_KINDS } from '../platform/aws/tables.ts';
import type { Registry } from '../platform/registry.ts';
import { type EventFeed, type Place, packetsIn } from './event-feed.ts';

/*
 * Readers of the feed: each has its own stored place, so that a slow one never holds up another. They lie behind the
 * feed's head in its partition. So the read that an append makes anyway tells whether there are any, and the minute's
 * pass finds those to wake, and the head, by one request.
 */

/** Sorts behind the id of the head. */
const PREFIX = 'reader#';

/** A holder that does not move its reader for so long counts as dead. Longer than one event may take. */
const LEASE_MS = 90_000;

const readerSchema = z.object({
  id: z.string().transform((id) => id.slice(PREFIX.length)),
  /** Behind the events that are done with. */
  place: z.object({ packet: z.number(), taken: z.number() }),
  /** The types of events that it waits for; undefined: all. */
  types: z.array(z.string()).optional(),
  /** When it is to be woken, whatever happens until then. */
  due_at: z.string().optional(),
  /** Changes with each `addition`. */
  added: z.string(),
  holder: z.string().optional(),
  lease_until: z.string().optional(),
});
type FeedReader = z.output<typeof readerSchema>;

/** A reader that this process holds. */
export interface HeldReader {
  readonly id: string;
  readonly holder: string;
  readonly place: Place;
  readonly added: string;
}

type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export class FeedReaders {
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #feed: EventFeed;

  constructor(options: Registry & { readonly clock: Clock; readonly feed: EventFeed }) {
    this.#registry = options;
    this.#clock = options.clock;
    this.#feed = options.feed;
  }

  /**
   * What adds a reader, in the transaction that creates what it reads for. It begins with the next event. For an
   * existing one it changes the types that wake it, and ends its waiting for a time. `read-feed` runs it by its id.
   * @param id `KIND:ID`
   * @param types of the events that it waits for; undefined: all
   */
  async addition(id: string, types?: readonly string[]): Promise<Write> {
    const place = await this.#feed.end();
    const typed = types === undefined ? ' REMOVE #types, due_at' : ', #types = :types REMOVE due_at';
    return {
      Update: {
        ...{ TableName: this.#registry.registryTable, Key: keyOf(id) },
        UpdateExpression: `SET place = if_not_exists(place, :place), added = :added${typed}`,
        ExpressionAttributeNames: { '#types': 'types' },
        ExpressionAttributeValues: {
          ...{ ':place': place, ':added': randomBytes(9).toString('base64url') },
          ...(types !== undefined && { ':types': [...types] }),
        },
      },
    };
  }

  /** What removes a reader, in the transaction that deletes what it reads for. Its holder stops at the next event. */
  removal(id: string): Write {
    return { Delete: { TableName: this.#registry.registryTable, Key: keyOf(id) } };
  }

  /** The readers that wait for events of these types and are neither held nor waiting for a time. */
  async waitingFor(types: ReadonlySet<string>): Promise<string[]> {
    const now = timestamp(this.#clock.now());
    const { readers } = await this.#all({ consistent: true });
    const waiting = readers.filter((reader) => isFree(reader, now) && (reader.due_at ?? '') <= now);
    return waiting.filter((reader) => reader.types?.some((type) => types.has(type)) ?? true).map(({ id }) => id);
  }

  /** The readers that nobody holds, and that are behind, or whose time has come. */
  async due(): Promise<string[]> {
    const now = timestamp(this.#clock.now());
    const { readers, packets } = await this.#all({ consistent: false });
    const isDue = ({ due_at, place }: FeedReader) => (due_at === undefined ? place.packet <= packets : due_at <= now);
    return readers.filter((reader) => isFree(reader, now) && isDue(reader)).map(({ id }) => id);
  }

  /** Takes a reader for the time of a lease. @returns undefined: it is gone, held by another, or waits for a time */
  async claim(id: string): Promise<HeldReader | undefined> {
    const holder = randomBytes(9).toString('base64url');
    const now = this.#clock.now();
    const reader = await this.#update(id, {
      UpdateExpression: 'SET holder = :holder, lease_until = :until REMOVE due_at',
      ConditionExpression:
        'attribute_exists(place)' +
        ' AND (attribute_not_exists(lease_until) OR lease_until <= :now)' +
        ' AND (attribute_not_exists(due_at) OR due_at <= :now)',
      ExpressionAttributeValues: { ':holder': holder, ':until': timestamp(now + LEASE_MS), ':now': timestamp(now) },
    });
    // When the SDK repeats a write that was applied but not answered, the condition fails.
    return reader?.holder === holder ? { id, holder, place: reader.place, added: reader.added } : undefined;
  }

  /** Moves a held reader, and renews its lease. @returns undefined: it was removed, or another has taken it */
  async move({ id, holder, added }: HeldReader, place: Place): Promise<HeldReader | undefined> {
    const reader = await this.#update(id, {
      UpdateExpression: 'SET place = :place, lease_until = :until',
      ConditionExpression: 'holder = :holder',
      ExpressionAttributeValues: {
        ...{ ':place': place, ':holder': holder, ':until': timestamp(this.#clock.now() + LEASE_MS) },
      },
    });
    return reader?.holder === holder ? { id, holder, place, added } : undefined;
  }

  /** Gives a held reader up. @param until when it is to be woken at the latest; undefined: with the next event */
  async release({ id, holder, place }: HeldReader, until?: number): Promise<void> {
    await this.#update(id, {
      UpdateExpression: `SET place = :place${until === undefined ? '' : ', due_at = :until'} REMOVE holder, lease_until`,
      ConditionExpression: 'holder = :holder',
      ExpressionAttributeValues: {
        ...{ ':place': place, ':holder': holder, ...(until !== undefined && { ':until': timestamp(until) }) },
      },
    });
  }

  /** Removes a held reader, unless it was added again since it was claimed: what it reads for was gone then. */
  async forget({ id, holder, added }: HeldReader): Promise<void> {
    const { table, registryTable } = this.#registry;
    const command = new DeleteCommand({
      ...{ TableName: registryTable, Key: keyOf(id) },
      ConditionExpression: 'holder = :holder AND added = :added',
      ExpressionAttributeValues: { ':holder': holder, ':added': added },
    });
    await table.send(command).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  }

  async #all({ consistent }: { readonly consistent: boolean }) {
    const { table, registryTable } = this.#registry;
    const readers: FeedReader[] = [];
    let packets = 0;
    for await (const item of queriedItems(table, {
      TableName: registryTable,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': EVENT_KINDS.head },
      ConsistentRead: consistent,
    })) {
      if (String(item.id).startsWith(PREFIX)) readers.push(readerSchema.parse(item));
      else packets = packetsIn(item);
    }
    return { readers, packets };
  }

  /** @returns the reader after the write, or the one that the condition has refused; undefined: there is none */
  async #update(
    id: string,
    update: Omit<UpdateCommandInput, 'TableName' | 'Key' | 'ReturnValues'>,
  ): Promise<FeedReader | undefined> {
    const { table, registryTable } = this.#registry;
    try {
      const { Attributes } = await table.send(
        new UpdateCommand({
          ...{ TableName: registryTable, Key: keyOf(id), ReturnValues: 'ALL_NEW' },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          ...update,
        }),
      );
      return readerSchema.parse(Attributes);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return error.Item && readerSchema.parse(unmarshall(error.Item));
    }
  }
}

function isFree({ lease_until }: FeedReader, now: string): boolean {
  return lease_until === undefined || lease_until <= now;
}

function keyOf(id: string) {
  return { kind: EVENT_KINDS.head, id: `${PREFIX}${id}` };
}
