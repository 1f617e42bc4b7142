import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import type { Clock } from '../../platform/aws/table-clock.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import type { HeldPermit, Permit } from '../dispatch/dispatch-queues.ts';
import { isReady, secondsUntilDue, type TransitionContext, transition } from '../dispatch/transition.ts';
import { type Job, readyKey } from '../lifecycle/job.ts';
import { isUnderstood } from '../lifecycle/understood.ts';
import { knownJobs } from '../store/read-job.ts';
import { exclusiveFolder, type FolderContext, takeFolder, waitForFolder, wakeIfFree } from './folder-slots.ts';
import { fillPlaces, type PlaceContext, takePlace, waitForPlace } from './profile-slots.ts';

/** What a permit led to. */
export type Claim =
  | { readonly kind: 'claimed'; readonly job: Job }
  | { readonly kind: 'give_back'; readonly seconds: number }
  | { readonly kind: 'drop' };

/** A permit that finds nothing may be ahead of its job's write: it comes back this often before it is dropped. */
const GIVE_BACKS = { times: 4, seconds: 3 } as const;

/** Seconds after which a permit comes back whose job only newer workers know. */
const NEWER_PAUSE = 30;

/** How many of the best jobs a look brings, and how many where those are not due yet. */
const PAGE = { first: 3, further: 25, pages: 10 } as const;

/** Reads the best claimable jobs of a band and project; eventually consistent, so it may be behind. */
export type ReadReady = (permit: Permit) => Promise<Job[]>;

/** `ReadReady` over the ready index. */
export function readyIndex(table: DynamoDBDocumentClient, tableName: string, clock: Clock): ReadReady {
  return async (permit) => {
    let from: Record<string, unknown> | undefined;
    for (let page = 0; page < PAGE.pages; page += 1) {
      const { Items = [], LastEvaluatedKey } = await table.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'ready',
          KeyConditionExpression: '#ready_key = :ready_key',
          ExpressionAttributeNames: { '#ready_key': 'ready_key' },
          ExpressionAttributeValues: { ':ready_key': readyKey(permit.band, permit.project) },
          Limit: page === 0 ? PAGE.first : PAGE.further,
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

/** A permit is sent before its job's write, and often received before it too: a new one looks again after these pauses (ms). */
const SECOND_LOOKS = [50, 150, 400] as const;

export interface ClaimContext extends TransitionContext, FolderContext, PlaceContext {
  readonly readReady: ReadReady;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/**
 * Uses a permit: claims the best ready job of its band and project, else the permit's own job, which is read
 * consistently because the index may be stale and the permit may have overtaken its job's write.
 */
export async function claim(context: ClaimContext, held: HeldPermit, workerId: string): Promise<Claim> {
  const pauses = held.receives === 1 ? SECOND_LOOKS : [];
  for (const pause of [0, ...pauses]) {
    if (pause > 0) await context.pause(pause);
    const claimed = await look(context, held, workerId);
    if (claimed !== undefined) return claimed;
  }
  return hasLookedEnough(held, context.clock.now())
    ? { kind: 'drop' }
    : { kind: 'give_back', seconds: GIVE_BACKS.seconds };
}

/** Workers that are busy when a permit comes pass it on, which is no look but counts as one: so its age counts too. */
function hasLookedEnough({ receives, sentAt = 0 }: HeldPermit, now: number): boolean {
  return receives > GIVE_BACKS.times && now - sentAt > GIVE_BACKS.times * GIVE_BACKS.seconds * 1000;
}

async function look(context: ClaimContext, held: HeldPermit, workerId: string): Promise<Claim | undefined> {
  for (const candidate of await context.readReady(held.permit)) {
    const job = await skipDamaged(`job ${candidate.id}`, () => claimOne(context, candidate, workerId));
    if (job !== undefined) return { kind: 'claimed', job };
  }
  const own = await context.jobs.look(held.permit.job);
  if (own === undefined) return undefined;
  if (own === 'newer' || !isUnderstood(own)) return { kind: 'give_back', seconds: NEWER_PAUSE };
  if (!isReady(own)) return undefined;
  const wait = secondsUntilDue(own, context.clock.now());
  if (wait > 0) return { kind: 'give_back', seconds: wait };
  const job = await claimOne(context, own, workerId);
  return job && { kind: 'claimed', job };
}

/** Claims exactly the job as seen; if somebody was faster, the next best is more use than this one's new state. */
async function claimOne(context: ClaimContext, job: Job, workerId: string): Promise<Job | undefined> {
  const taken = await takePlace(context, job);
  const folder = await exclusiveFolder(context, job);
  if (taken === 'busy') {
    await waitForPlace(context, job);
    // It may have been woken for its folder, which others wait for too.
    if (folder !== undefined) await wakeIfFree(context, folder);
    return undefined;
  }
  const { place } = taken;
  if (folder !== undefined && !(await takeFolder(context, job, folder))) await waitForFolder(context, job, folder);
  else {
    const claimed = await transition(context, job, { type: 'claim', workerId, folder, place }, { rounds: 1 });
    if (claimed.done) return claimed.job;
  }
  // Others may have found taken what this one had for a moment.
  if (place !== undefined) await fillPlaces(context, job.profile);
  return undefined;
}
