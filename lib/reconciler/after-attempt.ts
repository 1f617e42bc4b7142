import { type DeployContext, startDeployments } from '../deployments/start-deployments.ts';
import { type FolderContext, leaveFolder, wakeNext } from '../jobs/admission/folder-slots.ts';
import { type ParkedContext, releaseParked } from '../jobs/admission/parked-jobs.ts';
import { type ProfileSlotContext, wakeNextOf } from '../jobs/admission/profile-slots.ts';
import { type FollowUpContext, makeFollowUps } from '../jobs/creation/follow-ups.ts';
import { transition } from '../jobs/dispatch/transition.ts';
import { PENDING_CHILDREN_KEY, PENDING_MESSAGES_KEY, PENDING_THREADS_KEY } from '../jobs/indexes/ready-keys.ts';
import { slotsOf } from '../jobs/lifecycle/follow-up-record.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { NewerSchemaError } from '../jobs/lifecycle/newer-schema.ts';
import { isUnderstood } from '../jobs/lifecycle/understood.ts';
import { type SettleContext, settleMessages } from '../jobs/messages/settle-messages.ts';
import { continueThread } from '../jobs/threads/settle-thread.ts';
import { skipDamaged } from '../platform/aws/skip-damaged.ts';

export type AfterAttemptContext = FollowUpContext &
  ParkedContext &
  FolderContext &
  ProfileSlotContext &
  SettleContext &
  DeployContext;

/**
 * Performs the follow-up actions of an attempt's end: creates its follow-up jobs, releases the jobs that waited for its
 * probe, folder or slot, and deploys its success. The worker that applied the end does so at once; if it can't,
 * reconcile-jobs does.
 * @param before the job while the attempt ran
 * @returns the updated job
 */
export async function afterAttempt(context: AfterAttemptContext, before: Job, after: Job): Promise<Job> {
  return await settled(context, await makePending(context, await released(context, before, after)));
}

/**
 * The same after the end of an attempt whose worker was lost, but for its follow-up jobs, which the end has marked as
 * pending: reading the output for them can take a minute, in which other lost jobs would wait.
 */
export async function afterLoss(context: AfterAttemptContext, before: Job, after: Job): Promise<Job> {
  return await settled(context, await released(context, before, after));
}

async function released(context: AfterAttemptContext, before: Job, after: Job): Promise<Job> {
  await releaseParked(context, before, after);
  if (before.folder !== undefined) await wakeNext(context, before.folder);
  // Its agent has begun to share the folder since the claim, which took no slot.
  else if (after.shares_folder === true) await leaveFolder(context, after);
  if (before.place !== undefined) await wakeNextOf(context, before.profile);
  return await continueThread(context, after);
}

async function settled(context: AfterAttemptContext, job: Job): Promise<Job> {
  return await startDeployments(context, await settleMessages(context, job));
}

/** Records turns, and checks threads after the ends of their turns, where the process that was to do so died. */
export async function continueThreads(context: AfterAttemptContext): Promise<void> {
  for await (const listed of context.partition(PENDING_THREADS_KEY)) {
    await skipDamaged(`job ${listed.id}`, async () => {
      const job = await context.jobs.find(listed.id);
      if (job !== undefined && job !== 'newer' && isUnderstood(job)) await continueThread(context, job);
    });
  }
}

/** Milliseconds in which a round begins to search outputs. The next round does the rest. */
const SEARCHES_MS = 60_000;

/** Rounds that may die while they create the follow-up jobs of one job. Then these are left out. */
const TRIES = 5;

/**
 * Creates the follow-up jobs of attempts whose worker died before it had. The last of what a round does: an agent's output
 * can take a minute to search. The jobs with which an earlier round did not come to an end are the last of these: the
 * round may have died of one.
 */
export async function makeMissingFollowUps(context: AfterAttemptContext): Promise<void> {
  const until = context.clock.now() + SEARCHES_MS;
  const tried: Job[] = [];
  for await (const listed of context.partition(PENDING_CHILDREN_KEY)) {
    if (context.clock.now() >= until) return;
    await skipDamaged(`job ${listed.id}`, async () => {
      const job = await context.jobs.find(listed.id);
      if (job === undefined || job === 'newer') return;
      if (job.children_tries === undefined) await tryPending(context, job);
      else tried.push(job);
    });
  }
  for (const job of tried) {
    if (context.clock.now() >= until) return;
    await skipDamaged(`job ${job.id}`, () => tryPending(context, job));
  }
}

/** Only a try that never ended counts, because the process died: a failure is repeated until it has passed. */
async function tryPending(context: AfterAttemptContext, job: Job): Promise<void> {
  const tries = job.children_tries ?? 0;
  if (tries >= TRIES) return await leaveOut(context, job);
  const begun = await transition(context, job, { type: 'try_follow_ups', tries: tries + 1 });
  if (!begun.done) return;
  try {
    await makePending(context, begun.job);
  } catch (error) {
    await transition(context, begun.job, { type: 'try_follow_ups', tries });
    unlessNewer(error);
  }
}

async function leaveOut(context: AfterAttemptContext, job: Job): Promise<void> {
  const warnings = [`follow-ups: left out: their output could not be searched in ${TRIES} tries`];
  for (const attempt of job.children_pending ?? []) {
    const positions = slotsOf(job).flatMap((slot) => (slot.attempt === attempt ? [slot.position] : []));
    await transition(context, job, { type: 'follow_up', attempt, positions, warnings });
  }
}

/** Settles the messages of jobs that were cancelled, or whose worker died right after reporting. */
export async function settlePendingMessages(context: AfterAttemptContext): Promise<void> {
  for await (const listed of context.partition(PENDING_MESSAGES_KEY)) {
    await skipDamaged(`job ${listed.id}`, async () => {
      const job = await context.jobs.find(listed.id);
      if (job !== undefined && job !== 'newer') await settleMessages(context, job).catch(unlessNewer);
    });
  }
}

/** Only the later version that wrote something completes it. */
function unlessNewer(error: unknown): void {
  if (!(error instanceof NewerSchemaError)) throw error;
}

async function makePending(context: AfterAttemptContext, job: Job): Promise<Job> {
  let latest = job;
  for (const attempt of job.children_pending ?? []) latest = (await makeFollowUps(context, latest, attempt)).job;
  return latest;
}
