import type { ProfileStore } from '../../catalog/profiles.ts';
import { accountOf } from '../../catalog/vendor-account.ts';
import { isKnown } from '../../contract/later-code.ts';
import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { type TransitionContext, transition } from '../dispatch/transition.ts';
import { type Job, PARK_REASONS, type ParkReason, parkedKey } from '../lifecycle/job.ts';
import { PROBE_EVERY } from '../lifecycle/lifecycle.ts';
import { isUnderstood } from '../lifecycle/understood.ts';
import type { ReadPartition } from '../store/ready-partition.ts';
import type { Probe, ProbeStore } from './probes.ts';

/** What looking after parked jobs needs. */
export interface ParkedContext extends TransitionContext {
  readonly partition: ReadPartition;
  readonly probes: ProbeStore;
  readonly profiles: Pick<ProfileStore, 'get'>;
}

/**
 * Queues every job that is parked for a reason: it is over. For `account_required`: the account has been linked.
 * @param isMeant which of them; default: all. Jobs can wait for the accounts of different vendors.
 */
export async function unparkAll(
  context: ParkedContext,
  reason: ParkReason,
  isMeant?: (job: Job) => Promise<boolean>,
): Promise<void> {
  const probe = await context.probes.read(reason);
  for await (const job of context.partition(parkedKey(reason)))
    await skipDamaged(`job ${job.id}`, async () => {
      if (isMeant === undefined || (await isMeant(job))) await transition(context, job, { type: 'unpark', reason });
    });
  if (probe === undefined) return;
  const tries = isMeant && (await context.jobs.find(probe.job_id));
  // One that tries for others goes on.
  if (isMeant === undefined || tries === undefined || (tries !== 'newer' && (await isMeant(tries))))
    await context.probes.forget(reason, probe);
}

/** Lets one parked job a reason try, when the time has come and no other is trying; the others wait for its answer. */
export async function probeParkedJobs(context: ParkedContext): Promise<void> {
  for (const reason of PARK_REASONS) await skipDamaged(`probe ${reason}`, () => probeForReason(context, reason));
}

async function probeForReason(context: ParkedContext, reason: ParkReason): Promise<void> {
  let probe: Probe | undefined;
  let isFirst = true;
  // Taken before anything is read: when an answer is slow, a try that it shows as not begun may have begun.
  const at = timestamp(context.clock.now());
  for await (const listed of context.partition(parkedKey(reason))) {
    if (isFirst) {
      isFirst = false;
      probe = await context.probes.read(reason);
      const answer = probe && (await answerOf(context, reason, probe));
      if (answer === 'waiting') return;
      if (answer !== undefined) return await unparkAll(context, reason, waitsLike(context, answer.found));
    }
    if (!isUnderstood(listed)) continue;
    if ((listed.due_at ?? '') > at || (probe?.next_at ?? '') > at) return;
    const job = await skipDamaged(`job ${listed.id}`, () => context.jobs.get(listed.id, { consistent: true }));
    // The index may be stale.
    if (job?.parked !== reason) continue;
    const { probeEvery = PROBE_EVERY } = context;
    const next_at = timestamp(context.clock.now() + probeEvery[reason]);
    const next = { job_id: job.id, attempt: job.attempt + 1, next_at };
    // The record first: a death between the two costs one interval, the other order would let two try. And for this attempt only:
    // a job that has tried meanwhile, before the answer came, may be parked anew.
    if (await context.probes.replace(reason, probe, next))
      await transition(context, job, { type: 'unpark', reason, probe: true }, { rounds: 1 });
    return;
  }
}

/** What a try has found out: `waiting` for it, the job that `found` it over, or nothing that lets others start. */
async function answerOf(
  context: ParkedContext,
  reason: ParkReason,
  probe: Probe,
): Promise<'waiting' | { readonly found: Job } | undefined> {
  const job = await context.jobs.find(probe.job_id);
  if (job === undefined) return undefined;
  if (job === 'newer' || job.probing === reason) return 'waiting';
  // Who was cancelled, while it tried or when it waited again, has found nothing out; nor has what only a later version understands.
  if (job.status === 'CANCELLED' || !isUnderstood(job)) return undefined;
  // It had to wait for its folder or its profile's turn before it could try, which others may do meanwhile; now it does.
  if (job.status === 'RUNNING' && job.attempt === probe.attempt) return 'waiting';
  return job.attempt >= probe.attempt && job.parked !== reason ? { found: job } : undefined;
}

/** Whether a job waits for the vendor account by which another ran. Of a profile that is gone nothing is known: it is none to wait for. */
function waitsLike(
  context: Pick<ParkedContext, 'profiles'>,
  ran: Pick<Job, 'profile'>,
): (job: Job) => Promise<boolean> {
  const accounts = new Map<string, string | undefined>();
  const account = async (name: string) => {
    if (!accounts.has(name)) {
      const profile = await context.profiles.get(name);
      accounts.set(name, profile && accountOf(profile));
    }
    return accounts.get(name);
  };
  return async (job) => {
    const [mine, tried] = [await account(job.profile), await account(ran.profile)];
    return mine === undefined || tried === undefined || mine === tried;
  };
}

/** Starts those that waited for what an attempt tried by the same vendor account, if it has found out that it is over. */
export async function releaseParked(context: ParkedContext, before: Job, after: Job): Promise<void> {
  const { probing } = before;
  if (probing === undefined || !isKnown(PARK_REASONS, probing) || after.probing !== undefined) return;
  // Who was cancelled has found nothing out.
  if (after.parked !== probing && after.status !== 'CANCELLED')
    await unparkAll(context, probing, waitsLike(context, before));
}
