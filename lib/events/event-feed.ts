import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { InvalidFieldError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { type EventView, eventView, type NewEvent } from '../contract/schemas/event.ts';
import { checkpointName, outdated, sortable } from '../counters/counted-sums.ts';
import { batchGet } from '../platform/aws/batch-get.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { EVENT_KINDS } from '../platform/aws/tables.ts';
import type { Registry } from '../platform/registry.ts';

/**
 * The feed of events is a row of packets, numbered from 1 without a gap. A packet holds the events of one batch of the
 * table's stream, and the state of the feed behind it: how many packets there are, and the checkpoint of each shard of
 * the stream. It is put on condition that no packet has its number, so each writer builds on the state of the one
 * before: a record is in one packet, however its batch is repeated, split or delivered to two functions at once.
 *
 * The head repeats the newest state, so that the end of the row is found by one read. It is written after the packet;
 * if its writer dies in between, the next one, or the repeated batch, finds the packet and writes the head. Readers go as
 * far as the head. All events have one order, which never changes, and a reader misses none behind its place.
 *
 * Packets lie in turn in several partitions, so that a busy deployment writes to none of them alone. A batch of a quiet
 * one has a single event. The head is written once a batch, not once an event.
 */

/** Partitions that hold the packets. */
const PARTITIONS = 16;

/** Events of a packet: 100 KB. An item may have 400 KB. */
const PACKET_SIZE = 250;

/** Packets that are read at a time. */
const READ_SIZE = 50;

/** Tries to append while other functions are faster. A batch that gives up is delivered again. */
const TRIES = 50;

const DAY_MS = 86_400_000;

const packetSchema = z.object({
  id: z.string(),
  /** When it was appended, milliseconds since 1970. */
  at: z.number(),
  events: z.array(eventView.omit({ id: true })),
});
type Packet = z.output<typeof packetSchema>;

/** An event with its record's place in its shard: a decimal number as text, ascending. */
export interface Recorded {
  readonly sequence: string;
  readonly event: NewEvent;
}

/** How many packets there are, as `packets`, and the checkpoints of the shards. */
type State = Readonly<Record<string, unknown>>;

/** A place in the feed: behind so many events of this packet. */
export interface Place {
  readonly packet: number;
  readonly taken: number;
}

/** Events behind a place. */
interface Found {
  readonly events: readonly EventView[];
  /** Behind everything that was looked at. */
  readonly place: Place;
  /** Whether the feed continues there. */
  readonly more: boolean;
  /** Whether packets after the place may have been removed for their age. */
  readonly missed: boolean;
}

export class EventFeed {
  readonly #registry: Registry;
  readonly #clock: Clock;

  constructor(options: Registry & { readonly clock: Clock }) {
    this.#registry = options;
    this.#clock = options.clock;
  }

  /**
   * Appends the events of a batch of a shard that are not in the feed yet.
   * @returns whether the feed has readers (`FeedReaders`), which is found by the same request
   */
  async append(shard: string, events: readonly Recorded[]): Promise<boolean> {
    let left = events
      .map(({ sequence, event }) => ({ sequence: sortable(sequence), event }))
      .toSorted((a, b) => a.sequence.localeCompare(b.sequence));
    const checkpoint = checkpointName(shard);
    const { head: known, hasReaders } = await this.#headAndReaders();
    let state = known;
    for (let tries = TRIES + left.length; tries > 0; tries -= 1) {
      const done = String(state[checkpoint] ?? '');
      left = left.filter(({ sequence }) => sequence > done);
      if (left.length === 0) {
        await this.#advance(known, state);
        return hasReaders;
      }
      state = await this.#put(state, checkpoint, left.slice(0, sizeOfPacket(left)));
    }
    throw new Error('other functions were faster each time');
  }

  /** The place behind the newest event. */
  async end(): Promise<Place> {
    return { packet: packetsIn(await this.#head()) + 1, taken: 0 };
  }

  /** The place before the first event that was recorded at this time or later, and is kept. @param time ms since 1970 */
  async since(time: number): Promise<Place> {
    return { packet: await this.#firstAfter(time, packetsIn(await this.#head())), taken: 0 };
  }

  /**
   * At most `limit` events behind a place that pass the filter, from a limited number of packets.
   * @throws InvalidFieldError for a place that the feed has not reached
   */
  async read(from: Place, limit: number, passes: (event: EventView) => boolean): Promise<Found> {
    const last = packetsIn(await this.#head());
    if (from.packet > last + 1) throw unknownPlace(from);
    const events: EventView[] = [];
    let place = from;
    let missed = false;
    const end = Math.min(last, from.packet + LIMITS.events.packetsRead - 1);
    for (let at = from.packet; at <= end; at += READ_SIZE) {
      const packets = await this.#packets(at, Math.min(end, at + READ_SIZE - 1));
      if (packets.size === 0) {
        const kept = Math.max(at + 1, await this.#firstAfter(0, last));
        return { events, place: { packet: kept, taken: 0 }, more: kept <= last, missed: true };
      }
      for (let number = at; number < at + READ_SIZE && number <= end; number += 1) {
        const packet = packets.get(number);
        missed ||= packet === undefined;
        for (let taken = number === from.packet ? from.taken : 0; taken < (packet?.events.length ?? 0); taken += 1) {
          const event = packet?.events[taken];
          if (events.length === limit) return { events, place, more: true, missed };
          place = { packet: number, taken: taken + 1 };
          const placed = event && { id: writePlace(place), ...event };
          if (placed !== undefined && passes(placed)) events.push(placed);
        }
        place = { packet: number + 1, taken: 0 };
      }
    }
    return { events, place, more: end < last, missed };
  }

  /** The kept packets with these numbers. */
  async #packets(from: number, to: number): Promise<Map<number, Packet>> {
    const { table, registryTable } = this.#registry;
    const keys = Array.from({ length: to - from + 1 }, (_, at) => keyOf(from + at));
    const items = await batchGet(table, registryTable, keys, { consistent: true });
    const packets = items.map((item) => packetSchema.parse(item)).filter((packet) => this.#isKept(packet));
    return new Map(packets.map((packet) => [Number(packet.id), packet]));
  }

  /** The number of the first kept packet that was appended at this time or later, by halving; if none, the next one. */
  async #firstAfter(time: number, last: number): Promise<number> {
    let [from, to] = [1, last + 1];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const packet = (await this.#packets(middle, middle)).get(middle);
      if (packet !== undefined && packet.at >= time) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** DynamoDB removes a packet some time after it has expired. */
  #isKept({ at }: Packet): boolean {
    return at > this.#clock.now() - LIMITS.events.days * DAY_MS;
  }

  async #head(): Promise<State> {
    const { table, registryTable } = this.#registry;
    const { Item = {} } = await table.send(
      new GetCommand({ TableName: registryTable, Key: HEAD, ConsistentRead: true }),
    );
    return stateOf(Item);
  }

  /** The head is the first item of its partition, and the readers follow it. */
  async #headAndReaders(): Promise<{ readonly head: State; readonly hasReaders: boolean }> {
    const { table, registryTable } = this.#registry;
    const { Items = [] } = await table.send(
      new QueryCommand({
        TableName: registryTable,
        KeyConditionExpression: 'kind = :kind',
        ExpressionAttributeValues: { ':kind': HEAD.kind },
        ConsistentRead: true,
        Limit: 2,
      }),
    );
    const head = Items.find(({ id }) => id === HEAD.id) ?? {};
    return { head: stateOf(head), hasReaders: Items.some(({ id }) => id !== HEAD.id) };
  }

  /** Puts the next packet. @returns the state behind it, or behind the one that another writer has put there */
  async #put(before: State, checkpoint: string, packet: readonly Recorded[]): Promise<State> {
    const { table, registryTable } = this.#registry;
    const number = packetsIn(before) + 1;
    const at = this.#clock.now();
    const forgotten = new Set(outdated(Object.keys(before), checkpoint));
    const kept = Object.entries(before).filter(([name]) => !forgotten.has(name));
    const state = { ...Object.fromEntries(kept), packets: number, [checkpoint]: packet.at(-1)?.sequence };
    const events = packet.map(({ event }) => event);
    const expires_at_epoch = Math.floor(at / 1000) + LIMITS.events.days * 86_400;
    try {
      await table.send(
        new PutCommand({
          TableName: registryTable,
          Item: { ...keyOf(number), at, events, state, expires_at_epoch },
          ConditionExpression: 'attribute_not_exists(id)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return state;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined) throw error;
      return unmarshall(error.Item).state as State;
    }
  }

  /** Writes the head, unless that is as far or further. */
  async #advance(known: State, state: State): Promise<void> {
    if (packetsIn(state) <= packetsIn(known)) return;
    const { table, registryTable } = this.#registry;
    const put = new PutCommand({
      TableName: registryTable,
      Item: { ...HEAD, ...state },
      ConditionExpression: 'attribute_not_exists(packets) OR packets < :packets',
      ExpressionAttributeValues: { ':packets': packetsIn(state) },
    });
    await table.send(put).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  }
}

const HEAD = { kind: EVENT_KINDS.head, id: 'head' } as const;

/** Events of one record are in one packet, because the checkpoint is behind records. */
function sizeOfPacket(left: readonly Recorded[]): number {
  const last = left[PACKET_SIZE - 1]?.sequence;
  const next = left.findIndex(({ sequence }, at) => at >= PACKET_SIZE && sequence !== last);
  return next === -1 ? left.length : next;
}

function stateOf({ kind: _kind, id: _id, ...state }: State): State {
  return state;
}

/** How many packets the feed has, by its head. */
export function packetsIn({ packets = 0 }: State): number {
  return Number(packets);
}

function keyOf(packet: number) {
  const partition = String(packet % PARTITIONS).padStart(2, '0');
  return { kind: `${EVENT_KINDS.packets}${partition}`, id: String(packet).padStart(12, '0') };
}

/** A place as clients pass it on: the id of the event before it. */
export function writePlace({ packet, taken }: Place): string {
  return `${packet}-${taken}`;
}

/** @param text one that `writePlace` gives, by its schema */
export function readPlace(text: string): Place {
  const [packet = 0, taken = 0] = text.split('-').map(Number);
  return { packet: Math.max(1, packet), taken };
}

function unknownPlace(place: Place): InvalidFieldError {
  return InvalidFieldError.of('after', `received ${writePlace(place)}; the feed has not got so far`);
}
