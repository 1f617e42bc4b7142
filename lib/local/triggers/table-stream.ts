import { setTimeout as delay } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  type AttributeValue,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorInput,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, DynamoDBStreamEvent, AttributeValue as LambdaAttributeValue } from 'aws-lambda';
import * as z from 'zod';
import { withoutLogger } from '../../platform/aws/clients.ts';
import type { EventPattern, PatternValue } from '../../stats/counting/stream-filter.ts';
import type { TableWrites } from '../emulators/dynamodb/table-writes.ts';
import { type FunctionHandler, lambdaContext } from '../gateway/gateway-invocation.ts';
import { LOCAL_REGION } from '../run/resources.ts';
import type { RunCredentials } from '../run-access/run-credentials.ts';

export interface TableStreamOptions {
  readonly endpoint: string;
  readonly credentials: RunCredentials;
  readonly table: string;
  readonly handler: FunctionHandler;
  /** The handler gets only records that match one of these; absent: all. */
  readonly filters?: readonly EventPattern[];
  /** The handler's position in a shard; undefined: start at the oldest record. */
  readonly position: (shardId: string) => Promise<string | undefined>;
  readonly log: (line: string) => void;
  /** Reports when to read, sooner than an idle Lambda, which looks about four times a second. Without it: `pollMs`. */
  readonly writes?: TableWrites | undefined;
  /** Milliseconds between reads of an idle stream whose writes nothing reports; rises up to fourfold while it stays idle. */
  readonly pollMs?: number;
  /** Milliseconds between reads of an idle stream whose writes are reported. */
  readonly idleMs?: number;
  /** Milliseconds from a read that found records to the next: the handler's writes cost less the more it counts at once. */
  readonly apartMs?: number;
}

export interface TableStream {
  /** Waits for the call in progress. */
  stop(): Promise<void>;
}

/** Records of one call. */
const RECORDS_PER_CALL = 1_000;

/** Milliseconds between reads of a busy stream: Lambda looks about four times a second. */
const APART_MS = 250;

/** Milliseconds between retries. */
const RETRY = { first: 100, longest: 5_000 } as const;

/**
 * Follows a table's stream and calls a handler with its records, as Lambda's event source mapping does, in tumbling
 * windows. A failed batch is retried until it succeeds, and later ones wait.
 */
export function followTableStream(options: TableStreamOptions): TableStream {
  const { endpoint, credentials, table } = options;
  const settings = { endpoint, region: LOCAL_REGION, credentials };
  const tables = new DynamoDBClient(settings);
  const streams = withoutLogger(new DynamoDBStreamsClient(settings));
  const stopped = new AbortController();
  const { signal } = stopped;
  const abort = { abortSignal: signal };
  const { log, filters, writes, pollMs = 150, idleMs = 5_000, apartMs = APART_MS } = options;

  const followShard = async (arn: string, shard: string) => {
    const window = new TumblingWindow(options.handler, { arn, shard });
    let iterator = await openIterator(streams, { arn, shard, after: await options.position(shard) });
    let wait = pollMs;
    while (!signal.aborted && iterator !== undefined) {
      const known = writes?.count(table) ?? 0;
      const readAt = performance.now();
      const page = await streams.send(
        new GetRecordsCommand({ ShardIterator: iterator, Limit: RECORDS_PER_CALL }),
        abort,
      );
      const records = (page.Records ?? []).map((record) => lambdaRecord(record, arn));
      const passed = filters === undefined ? records : records.filter((record) => matchesAny(filters, record));
      await persistently(async () => await window.take(passed), log, signal);
      iterator = page.NextShardIterator;
      // dynoxide (1.2.1) ends a page at its limit only, not at a size as AWS does.
      if (writes !== undefined && records.length < RECORDS_PER_CALL) {
        if (records.length > 0) await pause(readAt + apartMs - performance.now(), signal);
        await writes.moreThan(known, table, Math.min(idleMs, window.remainingMs), signal);
      } else if (records.length === 0) await pause(wait, signal);
      wait = records.length === 0 ? Math.min(wait * 1.2, pollMs * 4) : pollMs;
    }
  };

  const followStream = async () => {
    const { Table } = await tables.send(new DescribeTableCommand({ TableName: table }), abort);
    const arn = Table?.LatestStreamArn;
    if (arn === undefined) throw new Error(`the table ${table} has no stream`);
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: arn }), abort);
    const shards = (StreamDescription?.Shards ?? []).flatMap(({ ShardId }) => ShardId ?? []);
    // Any failure (a restarting emulator, an expired iterator) restarts from the handler's position.
    await Promise.all(
      shards.map(async (shard) => await persistently(async () => await followShard(arn, shard), log, signal)),
    );
    await pause(pollMs, signal);
  };

  const running = (async () => {
    while (!signal.aborted) await persistently(followStream, log, signal);
  })();
  return {
    stop: async () => {
      stopped.abort();
      await running;
      tables.destroy();
      streams.destroy();
    },
  };
}

async function openIterator(
  streams: DynamoDBStreamsClient,
  { arn, shard, after }: { arn: string; shard: string; after: string | undefined },
): Promise<string | undefined> {
  const open = async (where: Pick<GetShardIteratorInput, 'ShardIteratorType' | 'SequenceNumber'>) =>
    (await streams.send(new GetShardIteratorCommand({ StreamArn: arn, ShardId: shard, ...where }))).ShardIterator;
  if (after === undefined) return await open({ ShardIteratorType: 'TRIM_HORIZON' });
  try {
    return await open({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after });
  } catch (error) {
    if (error instanceof TrimmedDataAccessException) return await open({ ShardIteratorType: 'TRIM_HORIZON' });
    throw error;
  }
}

/** Retries until it succeeds or is aborted. */
async function persistently(run: () => Promise<void>, log: (line: string) => void, signal: AbortSignal): Promise<void> {
  for (let wait: number = RETRY.first; !signal.aborted; wait = Math.min(wait * 2, RETRY.longest)) {
    try {
      return await run();
    } catch (error) {
      if (signal.aborted) return;
      log(`the table's stream is tried again in ${wait} ms: ${String(error)}`);
      await pause(wait, signal);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Whether Lambda would pass an event on under one of these patterns, as far as this project uses them. */
export function matchesAny(patterns: readonly EventPattern[], event: object): boolean {
  return patterns.some((pattern) => matches(pattern, event));
}

function matches(pattern: EventPattern, event: unknown): boolean {
  const members = isObject(event) ? event : {};
  return Object.entries(pattern).every(([name, wanted]) =>
    isList(wanted) ? wanted.some((value) => isMatch(value, members[name])) : matches(wanted, members[name]),
  );
}

function isMatch(wanted: PatternValue, actual: unknown): boolean {
  if ('exists' in wanted) return wanted.exists === (actual !== undefined);
  return typeof actual === 'string' && !wanted['anything-but'].includes(actual);
}

function isList(wanted: EventPattern | readonly PatternValue[]): wanted is readonly PatternValue[] {
  return Array.isArray(wanted);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A record in the form of a Lambda event: the SDK's binary values become text, its dates numbers. */
function lambdaRecord(record: _Record, eventSourceARN: string): DynamoDBRecord {
  const { dynamodb } = record;
  const created = dynamodb?.ApproximateCreationDateTime;
  return {
    ...(record.eventID !== undefined && { eventID: record.eventID }),
    ...(record.eventName !== undefined && { eventName: record.eventName }),
    ...(record.eventVersion !== undefined && { eventVersion: record.eventVersion }),
    ...(record.awsRegion !== undefined && { awsRegion: record.awsRegion }),
    eventSource: 'aws:dynamodb',
    eventSourceARN,
    dynamodb: {
      ...(created !== undefined && { ApproximateCreationDateTime: Math.floor(created.getTime() / 1000) }),
      ...(dynamodb?.Keys && { Keys: image(dynamodb.Keys) }),
      ...(dynamodb?.NewImage && { NewImage: image(dynamodb.NewImage) }),
      ...(dynamodb?.OldImage && { OldImage: image(dynamodb.OldImage) }),
      ...(dynamodb?.SequenceNumber !== undefined && { SequenceNumber: dynamodb.SequenceNumber }),
      ...(dynamodb?.SizeBytes !== undefined && { SizeBytes: dynamodb.SizeBytes }),
      ...(dynamodb?.StreamViewType !== undefined && { StreamViewType: dynamodb.StreamViewType }),
    },
  };
}

function image(values: Readonly<Record<string, AttributeValue>>): Record<string, LambdaAttributeValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, attribute(value)]));
}

function attribute(value: AttributeValue): LambdaAttributeValue {
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: value.N };
  if (value.BOOL !== undefined) return { BOOL: value.BOOL };
  if (value.NULL !== undefined) return { NULL: value.NULL };
  if (value.M !== undefined) return { M: image(value.M) };
  if (value.L !== undefined) return { L: value.L.map(attribute) };
  if (value.SS !== undefined) return { SS: value.SS };
  if (value.NS !== undefined) return { NS: value.NS };
  if (value.B !== undefined) return { B: Buffer.from(value.B).toString('base64') };
  if (value.BS !== undefined) return { BS: value.BS.map((bytes) => Buffer.from(bytes).toString('base64')) };
  throw new Error(`an attribute of an unknown type: ${Object.keys(value).join(', ')}`);
}

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
class TumblingWindow {
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
