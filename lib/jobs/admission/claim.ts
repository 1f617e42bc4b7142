import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import type { ProjectSettingsStore } from '../../projects/project-settings.ts';
import type { ReceivedMessage } from '../dispatch/dispatch-queues.ts';
import { isReady, secondsUntilDue, transition } from '../dispatch/transition.ts';
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
import { type ReadReady, readyJobs } from './ready-jobs.ts';

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

/** A message often arrives before the write that makes its job ready: on first receipt, it is checked again after these pauses. */
const RECHECK_PAUSES_MS = [50, 150, 400] as const;

export interface ClaimContext extends FolderContext, ProfileSlotContext, EnterContext, ClaimReadsContext {
  readonly projectSettings: Pick<ProjectSettingsStore, 'get' | 'isSpread'>;
  /** Projects that this process knows to be hot. They stay so. */
  readonly hotProjects: Set<string>;
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

/** A project that turns out to be hot is read again, in all its partitions. */
async function findWork(
  context: ClaimContext,
  received: ReceivedMessage,
  workerId: string,
): Promise<Claim | undefined> {
  const { hotProjects, ownClaims } = context;
  const { project } = received.message;
  const isSpread = hotProjects.has(project);
  const isNews = () => !isSpread && hotProjects.has(project);
  const besides = ownClaims.inProgress;
  for (const candidate of await readyJobs(context.readReady, received.message, { isSpread, besides })) {
    // At once, so that slots with different jobs also read what they need for them at the same time.
    if (ownClaims.has(candidate)) continue;
    const claimed = await skipDamaged(`job ${candidate.id}`, () => claimOnce(context, candidate, workerId));
    if (claimed !== undefined) return { kind: 'claimed', ...claimed };
    if (isNews()) return await findWork(context, received, workerId);
  }
  const own = await context.jobs.find(received.message.job);
  if (own === 'newer' || (own !== undefined && !isUnderstood(own)))
    return { kind: 'retry_later', seconds: NEWER_SCHEMA_DELAY_SECONDS };
  if (own === undefined || !isReady(own)) {
    if (isSpread || !(await context.projectSettings.isSpread(project))) return undefined;
    hotProjects.add(project);
    return await findWork(context, received, workerId);
  }
  const wait = secondsUntilDue(own, context.clock.now());
  if (wait > 0) return { kind: 'retry_later', seconds: wait };
  const claimed = await claimOnce(context, own, workerId);
  if (claimed === undefined && isNews()) return await findWork(context, received, workerId);
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
  if (reads.isSpread && !context.hotProjects.has(job.project_id)) {
    // A better job may be in a partition that was not read.
    context.hotProjects.add(job.project_id);
    return undefined;
  }
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
