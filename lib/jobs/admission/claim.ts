import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import type { ReceivedMessage } from '../dispatch/dispatch-queues.ts';
import { isReady, secondsUntilDue, transition } from '../dispatch/transition.ts';
import { readyKey } from '../indexes/ready-keys.ts';
import type { Job } from '../lifecycle/job.ts';
import { isUnderstood } from '../lifecycle/understood.ts';
import {
  type ClaimReads,
  type ClaimReadsContext,
  claimedProfile,
  claimedSettings,
  readForClaim,
} from './claim-reads.ts';
import { type EnterContext, enterThread } from './enter-thread.ts';
import { acquireFolder, exclusiveFolder, type FolderContext, waitForFolder, wakeIfFree } from './folder-slots.ts';
import type { OwnClaims } from './own-claims.ts';
import { acquireProfileSlot, type ProfileSlotContext, waitForProfileSlot, wakeForFreeSlots } from './profile-slots.ts';
import type { ReadReady } from './ready-jobs.ts';

/** A claimed job, and what was read for the claim. */
export interface Claimed {
  readonly job: Job;
  readonly reads: ClaimReads;
}

/** The result of handling a dispatch message. */
type Claim =
  | ({ readonly kind: 'claimed' } & Claimed)
  | { readonly kind: 'retry_later'; readonly seconds: number }
  | { readonly kind: 'acknowledge' };

/** A message that finds no job may have overtaken the job's write: it is retried this often, then dropped. */
const RETRY = { times: 4, seconds: 3 } as const;

/** Delay before retrying a message whose job only newer workers can read. */
const NEWER_SCHEMA_DELAY_SECONDS = 30;

/** A message often arrives before the write that makes its job ready: on first receipt, it is checked again after these pauses. */
const RECHECK_PAUSES_MS = [50, 150, 400] as const;

export interface ClaimContext extends FolderContext, ProfileSlotContext, EnterContext, ClaimReadsContext {
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
  const claimed = await findWork(context, received, workerId);
  if (claimed !== undefined) return claimed;
  const pauses = received.receives === 1 ? RECHECK_PAUSES_MS : [];
  for (const [n, pause] of pauses.entries()) {
    await context.pause(pause);
    // Other jobs that become ready have their own messages. But one that overtook its job may have claimed this one's,
    // and then nothing else starts that job.
    if (n < pauses.length - 1 && !(await isOwnReady(context, received))) continue;
    const late = await findWork(context, received, workerId);
    if (late !== undefined) return late;
  }
  return isExhausted(received, context.clock.now())
    ? { kind: 'acknowledge' }
    : { kind: 'retry_later', seconds: RETRY.seconds };
}

/** Whether the message's own job is ready, or only a later version can tell. */
async function isOwnReady({ jobs }: ClaimContext, { message }: ReceivedMessage): Promise<boolean> {
  const own = await jobs.find(message.job);
  return own === 'newer' || (own !== undefined && (!isUnderstood(own) || isReady(own)));
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
  const { ownClaims } = context;
  const { band, project } = received.message;
  for (const candidate of await context.readReady(readyKey(band, project), ownClaims.inProgress)) {
    // At once, so that slots with different jobs also read what they need for them at the same time.
    if (ownClaims.has(candidate)) continue;
    const claimed = await skipDamaged(`job ${candidate.id}`, () => claimOnce(context, candidate, workerId));
    if (claimed !== undefined) return { kind: 'claimed', ...claimed };
  }
  const own = await context.jobs.find(received.message.job);
  if (own === 'newer' || (own !== undefined && !isUnderstood(own)))
    return { kind: 'retry_later', seconds: NEWER_SCHEMA_DELAY_SECONDS };
  if (own === undefined || !isReady(own)) return undefined;
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
  const { mayEnter, turns } = await enterThread(context, job);
  if (!mayEnter) {
    // The job may have been woken for a folder or slot that other jobs wait for too.
    const folder = await exclusiveFolder(context, job, turns);
    if (folder !== undefined) await wakeIfFree(context, folder);
    await wakeForFreeSlots(context, job.profile);
    return undefined;
  }
  const reads = await readForClaim(context, job);
  const slotResult = await acquireProfileSlot({ ...context, profiles: claimedProfile(context, job, reads) }, job);
  const projectSettings = claimedSettings(context, job, reads);
  const folder = await exclusiveFolder({ ...context, projectSettings }, job, turns);
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
