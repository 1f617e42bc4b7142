import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import type { Clock } from '../../platform/aws/table-clock.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import type { DispatchMessage, ReceivedMessage } from '../dispatch/dispatch-queues.ts';
import { isReady, secondsUntilDue, type TransitionContext, transition } from '../dispatch/transition.ts';
import { type Job, readyKey } from '../lifecycle/job.ts';
import { isUnderstood } from '../lifecycle/understood.ts';
import { knownJobs } from '../store/read-job.ts';
import {
  type ClaimReads,
  type ClaimReadsContext,
  claimedProfile,
  claimedSettings,
  readForClaim,
} from './claim-reads.ts';
import { type EnterContext, mayEnterThread } from './enter-thread.ts';
import { acquireFolder, exclusiveFolder, type FolderContext, waitForFolder, wakeIfFree } from './folder-slots.ts';
import type { OwnClaims } from './own-claims.ts';
import { acquireProfileSlot, type ProfileSlotContext, waitForProfileSlot, wakeForFreeSlots } from './profile-slots.ts';

/** A claimed job, and what was read for the claim. */
export interface Claimed {
  readonly job: Job;
  readonly reads: ClaimReads;
}

/** The result of handling a dispatch message. */
export type Claim =
  | ({ readonly kind: 'claimed' } & Claimed)
  | { readonly kind: 'retry_later'; readonly seconds: number }
  | { readonly kind: 'acknowledge' };

/** A message that finds no job may have overtaken the job's write: it is retried this often, then dropped. */
const RETRY = { times: 4, seconds: 3 } as const;

/** Delay before retrying a message whose job only newer workers can read. */
const NEWER_SCHEMA_DELAY_SECONDS = 30;

/** Jobs that one query reads: a few of the best at first, more per page while those are not due yet. */
const PAGE = { first: 3, further: 25, pages: 10 } as const;

/**
 * Reads the best claimable jobs of a band and project. Eventually consistent, so the result may be stale.
 * @param besides how many of the best the caller can't use
 */
export type ReadReady = (message: DispatchMessage, besides?: number) => Promise<Job[]>;

/** `ReadReady` over the ready index. */
export function readyIndex(table: DynamoDBDocumentClient, tableName: string, clock: Clock): ReadReady {
  return async (message, besides = 0) => {
    let from: Record<string, unknown> | undefined;
    for (let page = 0; page < PAGE.pages; page += 1) {
      const { Items = [], LastEvaluatedKey } = await table.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'ready',
          KeyConditionExpression: '#ready_key = :ready_key',
          ExpressionAttributeNames: { '#ready_key': 'ready_key' },
          ExpressionAttributeValues: { ':ready_key': readyKey(message.band, message.project) },
          Limit: page === 0 ? PAGE.first + besides : PAGE.further,
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      const now = timestamp(clock.now());
      const due = knownJobs(Items).filter((job) => isReady(job) && (job.due_at === undefined || job.due_at <= now));
      if (due.length > 0 || LastEvaluatedKey === undefined) return due;
      from = LastEvaluatedKey;
    }
    return [];
  };
}

/** A message often arrives before the write that makes its job ready: on first receipt, it is checked again after these pauses. */
const RECHECK_PAUSES_MS = [50, 150, 400] as const;

export interface ClaimContext
  extends TransitionContext,
    FolderContext,
    ProfileSlotContext,
    EnterContext,
    ClaimReadsContext {
  readonly readReady: ReadReady;
  /** Of this process, for all its slots. */
  readonly ownClaims: OwnClaims;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/**
 * Handles a dispatch message: claims the best ready job of its band and project, else the message's own job. That job
 * is read consistently, because the index may be stale and the message may have overtaken the job's write.
 */
export async function claim(context: ClaimContext, received: ReceivedMessage, workerId: string): Promise<Claim> {
  const pauses = received.receives === 1 ? RECHECK_PAUSES_MS : [];
  for (const pause of [0, ...pauses]) {
    if (pause > 0) await context.pause(pause);
    const claimed = await findWork(context, received, workerId);
    if (claimed !== undefined) return claimed;
  }
  return isExhausted(received, context.clock.now())
    ? { kind: 'acknowledge' }
    : { kind: 'retry_later', seconds: RETRY.seconds };
}

/** Busy workers pass a message on, which counts as a receipt though nothing was checked. So its age counts too. */
function isExhausted({ receives, sentAt = 0 }: ReceivedMessage, now: number): boolean {
  return receives > RETRY.times && now - sentAt > RETRY.times * RETRY.seconds * 1000;
}

async function findWork(
  context: ClaimContext,
  received: ReceivedMessage,
  workerId: string,
): Promise<Claim | undefined> {
  for (const candidate of await context.readReady(received.message, context.ownClaims.inProgress)) {
    const claimed = await skipDamaged(`job ${candidate.id}`, () => claimOnce(context, candidate, workerId));
    if (claimed !== undefined) return { kind: 'claimed', ...claimed };
  }
  const own = await context.jobs.find(received.message.job);
  if (own === undefined) return undefined;
  if (own === 'newer' || !isUnderstood(own)) return { kind: 'retry_later', seconds: NEWER_SCHEMA_DELAY_SECONDS };
  if (!isReady(own)) return undefined;
  const wait = secondsUntilDue(own, context.clock.now());
  if (wait > 0) return { kind: 'retry_later', seconds: wait };
  const claimed = await claimOnce(context, own, workerId);
  return claimed && { kind: 'claimed', ...claimed };
}

async function claimOnce(context: ClaimContext, job: Job, workerId: string): Promise<Claimed | undefined> {
  return await context.ownClaims.attempt(job, () => claimOne(context, job, workerId));
}

/** Claims exactly this version of the job. If it has changed, the caller tries the next best job instead. */
async function claimOne(context: ClaimContext, job: Job, workerId: string): Promise<Claimed | undefined> {
  if (!(await mayEnterThread(context, job))) {
    // The job may have been woken for a folder or slot that other jobs wait for too.
    const folder = await exclusiveFolder(context, job);
    if (folder !== undefined) await wakeIfFree(context, folder);
    await wakeForFreeSlots(context, job.profile);
    return undefined;
  }
  const reads = await readForClaim(context, job);
  const slotResult = await acquireProfileSlot({ ...context, profiles: claimedProfile(context, job, reads) }, job);
  const projectSettings = claimedSettings(context, job, reads);
  const folder = await exclusiveFolder({ ...context, projectSettings }, job);
  if (slotResult === 'busy') {
    await waitForProfileSlot(context, job);
    // The job may have been woken for its folder, which other jobs wait for too.
    if (folder !== undefined) await wakeIfFree(context, folder);
    return undefined;
  }
  const { place } = slotResult;
  if (folder !== undefined && !(await acquireFolder(context, job, folder))) await waitForFolder(context, job, folder);
  else {
    const claimed = await transition(context, job, { type: 'claim', workerId, folder, place }, { rounds: 1 });
    if (claimed.done) return { job: claimed.job, reads };
  }
  // Other jobs may have found the slot taken while this claim held it.
  if (place !== undefined) await wakeForFreeSlots(context, job.profile);
  return undefined;
}
