import type { Logger } from '@aws-lambda-powertools/logger';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent, AttributeValue as LambdaAttributeValue } from 'aws-lambda';
import * as z from 'zod';
import { AuditLog, auditChildren } from '../../lib/access/audit-log.ts';
import { ProfileStore } from '../../lib/catalog/profiles.ts';
import { countedState, JobCounts } from '../../lib/counters/counts.ts';
import { AccountWaits } from '../../lib/events/account-waits.ts';
import { EventFeed, type Recorded } from '../../lib/events/event-feed.ts';
import { eventJobSchema } from '../../lib/events/event-of.ts';
import { eventsIn } from '../../lib/events/events-in.ts';
import { FeedReaders } from '../../lib/events/feed-readers.ts';
import { jobItemSchema } from '../../lib/jobs/lifecycle/job.ts';
import { createCallLater } from '../../lib/platform/aws/call-later.ts';
import { tableClient } from '../../lib/platform/aws/clients.ts';
import { countEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { eventOfRow, isEventRow } from '../../lib/platform/event-rows.ts';
import { emitMetrics } from '../../lib/platform/operations/emit-metrics.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';
import { registryOf } from '../../lib/platform/registry.ts';
import { lostJobs, metricsOf, streamedJobSchema } from '../../lib/stats/counting/change-metrics.ts';
import { StatsStore } from '../../lib/stats/counting/stats-store.ts';
import { isNewWork, workSchema } from '../../lib/workers/scaling/new-work.ts';
import { createWakeScaling } from '../../lib/workers/scaling/wake-scaling.ts';

let stores: ReturnType<typeof open> | undefined;

type StreamWindow = DynamoDBStreamEvent & { readonly shardId: string; readonly state?: object };

/**
 * Consumes the stream of the jobs table, in tumbling windows, which provide the id of the shard: updates the counts and
 * statistics, appends to the feed of events and wakes its readers, records the jobs that jobs have started, emits
 * metrics, and triggers a scaling decision if work has appeared.
 */
export const handler = handleTrigger('count-jobs', countJobs);

async function countJobs(event: StreamWindow, log: Logger): Promise<{ state: object }> {
  log.appendKeys({ shard: event.shardId, from: event.Records[0]?.dynamodb?.SequenceNumber });
  stores ??= open(log);
  const { audit, counts, feed, stats, wakeScaling } = stores;
  const isRow = ({ dynamodb }: DynamoDBRecord) => isEventRow(dynamodb?.NewImage ?? dynamodb?.OldImage);
  const changes = event.Records.filter((record) => !isRow(record)).map(changeOf);
  const ofClients = changes.filter(({ before, after }) => (after ?? before)?.cause.kind !== 'system');
  await auditChildren(audit, delegatedIn(ofClients));
  // The checkpoint of the counts is the position to continue from, so it is written last.
  await stats.apply(event.shardId, ofClients);
  const events = [...(await eventsIn(stores.accountWaits, ofClients)), ...event.Records.filter(isRow).flatMap(toldIn)];
  const hasReaders = await feed.append(event.shardId, events);
  await counts.apply(
    event.shardId,
    changes.map(({ sequence, before, after }) => ({ sequence, before: before?.state, after: after?.state })),
  );
  if (changes.some(({ before, after }) => isNewWork(before, after))) {
    // Scaling must not delay the counts. The next scheduled decision makes up for a failure.
    await wakeScaling().catch((error: Error) =>
      log.error('scaling failed; the next scheduled decision follows within a minute', error),
    );
  }
  if (hasReaders && events.length > 0) {
    // The minute's pass makes up for a failure.
    await wakeReaders(stores, new Set(events.map(({ event: { type } }) => type))).catch((error: Error) =>
      log.error('readers of the feed were not woken', error),
    );
  }
  // Last, because a failed batch is repeated and would be emitted twice.
  emitMetrics(metricsOf(ofClients));
  for (const { id, attempt, worker_id, losses = 0 } of lostJobs(changes))
    log.warn('a running job lost its worker', { job_id: id, attempt, worker_id, losses: losses + 1 });
  return { state: event.state ?? {} };
}

function open(log: Logger) {
  const { table, clock } = tableClient();
  const env = readEnv(countEnv);
  const registry = registryOf({ table, clock, env });
  const feed = new EventFeed(registry);
  return {
    audit: new AuditLog({ ...registry, log }),
    counts: new JobCounts(registry),
    feed,
    accountWaits: new AccountWaits({ ...registry, profiles: new ProfileStore(registry) }),
    readers: new FeedReaders({ ...registry, feed }),
    callReader: createCallLater('read-feed', env.READ_FEED_FUNCTION),
    stats: new StatsStore(registry),
    wakeScaling: createWakeScaling(env),
  };
}

/** Calls the readers that wait for these types, each in its own invocation. */
async function wakeReaders(
  { readers, callReader }: Pick<ReturnType<typeof open>, 'readers' | 'callReader'>,
  types: ReadonlySet<string>,
): Promise<void> {
  await Promise.all((await readers.waitingFor(types)).map(callReader));
}

const changedJobSchema = z.object({
  ...streamedJobSchema.shape,
  ...workSchema.shape,
  ...eventJobSchema.shape,
  ...jobItemSchema.pick({ created_by: true, created_at: true, profile: true, probing: true }).shape,
  status_key: z.string().optional(),
});

function delegatedIn(changes: readonly ReturnType<typeof changeOf>[]) {
  return changes.flatMap(({ before, after }) => (before === undefined && after?.cause.kind === 'tool' ? [after] : []));
}

/** The event of a row that tells of one. */
function toldIn({ dynamodb }: DynamoDBRecord): Recorded[] {
  const event = dynamodb && eventOfRow(dynamodb as Parameters<typeof eventOfRow>[0]);
  return event === undefined ? [] : [{ sequence: dynamodb?.SequenceNumber ?? '0', event }];
}

function changeOf({ dynamodb }: DynamoDBRecord) {
  return {
    sequence: dynamodb?.SequenceNumber ?? '0',
    before: jobOf(dynamodb?.OldImage),
    after: jobOf(dynamodb?.NewImage),
  };
}

function jobOf(image: Record<string, LambdaAttributeValue> | undefined) {
  if (image === undefined) return undefined;
  const job = changedJobSchema.parse(unmarshall(image as Parameters<typeof unmarshall>[0]));
  return { ...job, state: countedState(job) };
}
