import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { DeleteCommand, type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { JobCounts } from '../counters/counts.ts';
import { LEASE } from '../jobs/lifecycle/lease.ts';
import { type CalledLater, onCallLater } from '../platform/aws/call-later.ts';
import { TABLES, type TableSpec } from '../platform/aws/tables.ts';
import { COUNTED_RECORDS } from '../stats/counting/stream-filter.ts';
import type { DynamodbEmulator } from './emulators/dynamodb-emulator.ts';
import { type functionLoader, lambdaContext } from './gateway/gateway-invocation.ts';
import type { Endpoints, Resources } from './run/resources.ts';
import type { Shutdown } from './run/shutdown.ts';
import type { RunSettings } from './settings/run-settings.ts';
import { followQueue } from './triggers/queue-trigger.ts';
import { followTableStream } from './triggers/table-stream.ts';

/** Time limit of reconcile-jobs, in milliseconds. */
const RECONCILE_TIMEOUT_MS = 60_000;
/** Time limit of deliver-calls, in milliseconds. */
const CALLS_TIMEOUT_MS = 30_000;
/** Time limit of make-exports, in milliseconds. */
const EXPORTS_TIMEOUT_MS = 900_000;
/** Time limit of read-feed, in milliseconds. */
const READERS_TIMEOUT_MS = 300_000;
/** Time limit of sweep-jobs, in milliseconds. */
const SWEEP_TIMEOUT_MS = 900_000;

/** Milliseconds between the runs of the reconciler, and of what removes expired data. */
function intervalsOf(settings: TriggerContext['settings']) {
  const watchMs = (settings.watchSeconds ?? 60) * 1000;
  return {
    watchMs,
    // Jobs of a killed run become free when their leases expire.
    secondWatchMs: Math.min(watchMs, LEASE.duration + 2_000),
    sweepMs: (settings.sweepSeconds ?? 3_600) * 1000,
  };
}

/** What the local triggers need. */
interface TriggerContext {
  readonly load: ReturnType<typeof functionLoader>;
  readonly counts: JobCounts;
  readonly endpoints: Endpoints;
  readonly resources: Resources;
  readonly registry: { readonly table: DynamoDBDocumentClient };
  readonly settings: Pick<RunSettings, 'watchSeconds' | 'sweepSeconds'>;
  readonly tables: Pick<DynamodbEmulator, 'trimStream' | 'writes'>;
  readonly shutdown: Shutdown;
  readonly log: (line: string) => void;
}

/** Starts what AWS runs on changes of the table and each minute: counting, and reconciling jobs. */
export function startReconciling(context: TriggerContext): void {
  const { load, counts, endpoints, resources, settings, tables, shutdown, log } = context;
  const stream = followTableStream({
    endpoint: endpoints.dynamodb,
    credentials: endpoints.credentials,
    table: resources.jobsTable,
    handler: async (event, context) => await (await load('triggers.count-jobs'))(event, context),
    filters: COUNTED_RECORDS,
    position: async (shard) => await counts.checkpoint(shard),
    writes: tables.writes,
    log,
  });
  shutdown.add('service', stream.stop);
  const { watchMs, secondWatchMs } = intervalsOf(settings);
  const watch = startSchedule({
    name: 'reconcile-jobs',
    everyMs: watchMs,
    secondAfterMs: secondWatchMs,
    run: async (isFirst) => {
      const handler = await load('triggers.reconcile-jobs');
      // Queues start empty: on the first run every waiting job needs a new dispatch message.
      await handler({ redrive: isFirst }, lambdaContext('triggers.reconcile-jobs', RECONCILE_TIMEOUT_MS));
    },
    log,
  });
  shutdown.add('service', watch.stop);
  startCalled(context, 'reconcile-jobs', RECONCILE_TIMEOUT_MS);
}

/** Starts signed calls, and the removal of what has expired. */
export function startCallsAndSweeps({
  load,
  counts,
  endpoints,
  resources,
  registry,
  settings,
  tables,
  shutdown,
  log,
}: TriggerContext): void {
  const { sweepMs } = intervalsOf(settings);
  const calls = followQueue({
    endpoint: endpoints.objectsAndQueues,
    credentials: endpoints.credentials,
    queueUrl: resources.deliveriesUrl,
    functionId: 'triggers.deliver-calls',
    handler: async (event, context) => await (await load('triggers.deliver-calls'))(event, context),
    limitMs: CALLS_TIMEOUT_MS,
    log,
  });
  shutdown.add('service', calls.stop);
  const sweep = startSchedule({
    name: 'sweep-jobs',
    everyMs: sweepMs,
    run: async () => {
      await (await load('triggers.sweep-jobs'))({}, lambdaContext('triggers.sweep-jobs', SWEEP_TIMEOUT_MS));
      for (const [id, name] of [
        ['registry', resources.registryTable],
        ['jobs', resources.jobsTable],
      ] as const)
        await removeExpiredItems(registry.table, name, TABLES[id]);
    },
    log,
  });
  shutdown.add('service', sweep.stop);
  const trim = startSchedule({
    name: 'trim-stream',
    everyMs: sweepMs,
    run: async () =>
      await tables.trimStream({
        table: resources.jobsTable,
        counted: async (shard) => await counts.checkpoint(shard),
      }),
    log,
  });
  shutdown.add('service', trim.stop);
}

/** Starts what makes exports: at once when one is asked for, and regularly those whose attempt has died. */
export function startExports(context: TriggerContext): void {
  const { settings, shutdown, log } = context;
  const make = startCalled(context, 'make-exports', EXPORTS_TIMEOUT_MS);
  const { watchMs } = intervalsOf(settings);
  const left = startSchedule({ name: 'make-exports', everyMs: watchMs, run: async () => await make({}), log });
  shutdown.add('service', left.stop);
}

/** Starts what runs readers of the feed of events, when they are woken. */
export function startReaders(context: TriggerContext): void {
  startCalled(context, 'read-feed', READERS_TIMEOUT_MS);
}

/** Runs a function whenever this process calls it later. @returns what calls it, too */
function startCalled(
  { load, shutdown, log }: TriggerContext,
  name: CalledLater,
  limitMs: number,
): (event: { readonly id?: string }) => Promise<void> {
  const running = new Set<Promise<void>>();
  let isStopped = false;
  // A call is no part of the request that asks for it.
  const apart = AsyncLocalStorage.snapshot();
  const call = async (event: { readonly id?: string }) => {
    const context = lambdaContext(`triggers.${name}`, limitMs);
    const { getRemainingTimeInMillis: left } = context;
    // A call that is running ends at its next step, as one does whose time is up.
    await (await load(`triggers.${name}`))(event, {
      ...context,
      getRemainingTimeInMillis: () => (isStopped ? 0 : left()),
    });
  };
  const stopListening = onCallLater(name, (id) => {
    if (isStopped) return;
    const called = apart(() => call({ id }))
      .catch((error: unknown) => log(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`))
      .finally(() => running.delete(called));
    running.add(called);
  });
  shutdown.add('service', async () => {
    isStopped = true;
    stopListening();
    await Promise.all(running);
  });
  return call;
}

interface ScheduleOptions {
  /** For the log. */
  readonly name: string;
  /** Milliseconds from the end of one run to the start of the next; so runs never overlap. */
  readonly everyMs: number;
  /** The same for the second run; default: `everyMs`. */
  readonly secondAfterMs?: number;
  readonly run: (isFirst: boolean) => Promise<unknown>;
  readonly log: (line: string) => void;
}

interface Schedule {
  /** Waits for the run in progress. */
  stop(): Promise<void>;
}

/** A failed run is retried sooner than the next one is due. */
const RETRY_MS = 5_000;

/**
 * Runs a function at once and then at intervals, as EventBridge does. A failed run is logged; the first counts only
 * once it succeeds.
 */
function startSchedule({ name, everyMs, secondAfterMs = everyMs, run, log }: ScheduleOptions): Schedule {
  const stopped = new AbortController();
  const running = (async () => {
    let isFirst = true;
    while (!stopped.signal.aborted) {
      let wait = isFirst ? secondAfterMs : everyMs;
      try {
        await run(isFirst);
        isFirst = false;
      } catch (error) {
        wait = Math.min(everyMs, RETRY_MS);
        log(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
      }
      await delay(wait, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

/** DynamoDB removes expired items "typically within two days"; readers must ignore them until then. */
const REMOVAL_LAG_SECONDS = 2 * 86_400;

type TtlSpec = Pick<TableSpec, 'partitionKey' | 'sortKey' | 'ttlAttribute'>;

/** Deletes expired items, as DynamoDB does and the emulator doesn't. */
async function removeExpiredItems(table: DynamoDBDocumentClient, tableName: string, spec: TtlSpec): Promise<void> {
  const expiredBefore = Math.floor(Date.now() / 1000) - REMOVAL_LAG_SECONDS;
  const keyNames = [spec.partitionKey, spec.sortKey ?? []].flat();
  let from: Record<string, unknown> | undefined;
  do {
    const page = await table.send(
      new ScanCommand({
        TableName: tableName,
        FilterExpression: '#ttl < :before',
        ProjectionExpression: keyNames.join(', '),
        ExpressionAttributeNames: { '#ttl': spec.ttlAttribute ?? '' },
        ExpressionAttributeValues: { ':before': expiredBefore },
        // Small, because the emulator is blocked while it scans.
        Limit: 500,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const key of page.Items ?? []) await removeStillExpired(table, { tableName, key, expiredBefore, spec });
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}

async function removeStillExpired(
  table: DynamoDBDocumentClient,
  {
    tableName,
    key,
    expiredBefore,
    spec,
  }: { tableName: string; key: Record<string, unknown>; expiredBefore: number; spec: TtlSpec },
): Promise<void> {
  const command = new DeleteCommand({
    TableName: tableName,
    Key: key,
    ConditionExpression: '#ttl < :before',
    ExpressionAttributeNames: { '#ttl': spec.ttlAttribute ?? '' },
    ExpressionAttributeValues: { ':before': expiredBefore },
  });
  await table.send(command).catch((error: unknown) => {
    // It was renewed in the meantime.
    if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
  });
}
