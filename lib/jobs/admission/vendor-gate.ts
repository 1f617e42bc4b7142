import { createHash } from 'node:crypto';
import type { ProfileStore } from '../../catalog/profiles.ts';
import { accountOf } from '../../catalog/vendor-account.ts';
import { isKnown } from '../../contract/later-code.ts';
import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { type TransitionContext, transition } from '../dispatch/transition.ts';
import { gateKey } from '../indexes/ready-keys.ts';
import { PROBE_INTERVALS_MS } from '../lifecycle/after-attempt.ts';
import { PARK_REASONS, type ParkReason } from '../lifecycle/gates.ts';
import type { Job } from '../lifecycle/job.ts';
import { isUnderstood } from '../lifecycle/understood.ts';
import type { ReadPartition } from '../store/ready-partition.ts';
import { nextProbe, type Probe, type ProbeStore } from './probes.ts';

/** Dependencies for probing and releasing parked jobs. */
export interface VendorGateContext extends TransitionContext {
  readonly partition: ReadPartition;
  readonly probes: ProbeStore;
  readonly profiles: Pick<ProfileStore, 'get'>;
}

/**
 * Queues every job parked for a reason that no longer applies. For `account_required`: the account has been linked.
 * @param isMeant selects the jobs, which may wait for accounts of different vendors; default: all
 */
export async function unparkAll(
  context: VendorGateContext,
  reason: ParkReason,
  isMeant?: (job: Job) => Promise<boolean>,
): Promise<void> {
  const probe = await context.probes.read(reason);
  await queueParked(context, reason, isMeant);
  if (probe === undefined) return;
  const tries = isMeant && (await context.jobs.find(probe.job_id));
  // A probe for other jobs continues.
  if (isMeant === undefined || tries === undefined || (tries !== 'newer' && (await isMeant(tries))))
    await context.probes.forget(reason, probe);
}

async function queueParked(
  context: VendorGateContext,
  reason: ParkReason,
  isMeant: (job: Job) => Promise<boolean> = async () => true,
): Promise<void> {
  for await (const job of context.partition(gateKey({ kind: 'vendor', key: reason })))
    await skipDamaged(`job ${job.id}`, async () => {
      if (await isMeant(job)) await transition(context, job, { type: 'unpark', reason });
    });
}

/** Starts a probe for each parking reason if it is due and none runs. The other parked jobs wait for its result. */
export async function probeParkedJobs(context: VendorGateContext): Promise<void> {
  for (const reason of PARK_REASONS) await skipDamaged(`probe ${reason}`, () => probeForReason(context, reason));
}

/** Most jobs that are due and wait for one account, among which one that waits for another is looked for. */
const MAX_PASSED_OVER = 2_000;

async function probeForReason(context: VendorGateContext, reason: ParkReason): Promise<void> {
  let probe: Probe | undefined;
  let isFirst = true;
  const accounts = accountsOf(context);
  const passedOver: Job[] = [];
  // Taken before any read: while a slow read returns, a probe that it shows as not started may have started.
  const at = timestamp(context.clock.now());
  for await (const listed of context.partition(gateKey({ kind: 'vendor', key: reason }))) {
    if (isFirst) {
      isFirst = false;
      probe = await context.probes.read(reason);
      const answer = probe && (await answerOf(context, reason, probe));
      if (answer === 'waiting') return;
      if (answer !== undefined) return await unparkAll(context, reason, waitsLike(context, answer.found));
    }
    if (!isUnderstood(listed)) continue;
    if ((listed.due_at ?? '') > at || (probe?.next_at ?? '') > at || passedOver.length >= MAX_PASSED_OVER) break;
    const tried = [...(probe?.tried ?? []), await nameOfAccount(accounts, listed)];
    if (new Set(tried).size < tried.length) passedOver.push(listed);
    else if (await startProbe(context, reason, { listed, probe, tried })) return;
  }
  // Each account has had its turn.
  for (const listed of passedOver)
    if (await startProbe(context, reason, { listed, probe, tried: [await nameOfAccount(accounts, listed)] })) return;
}

/** @returns false if the job is no longer parked */
async function startProbe(
  context: VendorGateContext,
  reason: ParkReason,
  { listed, probe, tried }: { listed: Job; probe: Probe | undefined; tried: readonly string[] },
): Promise<boolean> {
  const job = await skipDamaged(`job ${listed.id}`, () => context.jobs.get(listed.id, { consistent: true }));
  // The index may be stale.
  if (job?.parked !== reason) return false;
  const { probeEvery = PROBE_INTERVALS_MS } = context;
  const next = {
    ...nextProbe(probe, { now: context.clock.now(), every: probeEvery[reason] }),
    ...{ job_id: job.id, attempt: job.attempt + 1, profile: job.profile, tried: [...tried] },
    ...(job.round !== undefined && { round: job.round }),
  };
  // The record is written first: a crash in between costs one interval; in the other order two probes could run. It
  // covers this attempt only, because the job may run and be parked again before the write.
  if (await context.probes.replace(reason, probe, next))
    await transition(context, job, { type: 'unpark', reason, probe: true }, { rounds: 1 });
  return true;
}

/** A probe's result: `waiting` while open, `found` once the reason no longer applies, undefined if inconclusive. */
async function answerOf(
  context: VendorGateContext,
  reason: ParkReason,
  probe: Probe,
): Promise<'waiting' | { readonly found: Job } | undefined> {
  const job = await context.jobs.find(probe.job_id);
  if (job === undefined) return undefined;
  if (job === 'newer') return 'waiting';
  if (job.probing === reason) return hasGotThrough(context, reason, job) ? { found: job } : 'waiting';
  // A cancelled probe is inconclusive, and so is one whose state only a later version understands.
  if (job.status === 'CANCELLED' || !isUnderstood(job)) return undefined;
  // The edit has queued the job for another account.
  if (probe.profile !== job.profile) return undefined;
  // It was cancelled and retried since, whatever the probe found.
  if (probe.round !== job.round) return undefined;
  // The probe had to wait for its folder or its profile's slot, so others could start meanwhile; now it runs.
  if (job.status === 'RUNNING' && job.attempt === probe.attempt) return 'waiting';
  return job.attempt >= probe.attempt && job.parked !== reason ? { found: job } : undefined;
}

/** How long (ms) a CLI tries to reach an overloaded vendor at most. */
const LONGEST_TRIES_MS = 900_000;

/** An agent that still runs then works, maybe for hours: an overload is over long before. */
function hasGotThrough({ clock }: Pick<VendorGateContext, 'clock'>, reason: ParkReason, job: Job): boolean {
  if (reason !== 'vendor_overloaded' || job.status !== 'RUNNING') return false;
  return clock.now() - Date.parse(job.started_at ?? '') >= LONGEST_TRIES_MS;
}

/** The vendor account of a profile; undefined: the profile is gone. Each is read once. */
function accountsOf({ profiles }: Pick<VendorGateContext, 'profiles'>): (name: string) => Promise<string | undefined> {
  const accounts = new Map<string, string | undefined>();
  return async (name) => {
    if (!accounts.has(name)) {
      const profile = await profiles.get(name);
      accounts.set(name, profile && accountOf(profile));
    }
    return accounts.get(name);
  };
}

/** A short name for the account that a job waits for. */
async function nameOfAccount(accounts: ReturnType<typeof accountsOf>, { profile }: Job): Promise<string> {
  return createHash('sha256')
    .update((await accounts(profile)) ?? profile)
    .digest('base64url')
    .slice(0, 12);
}

/** Whether a job waits for the vendor account that another job ran with. True if either job's profile is gone. */
function waitsLike(
  context: Pick<VendorGateContext, 'profiles'>,
  ran: Pick<Job, 'profile'>,
): (job: Job) => Promise<boolean> {
  const account = accountsOf(context);
  return async (job) => {
    const [mine, tried] = [await account(job.profile), await account(ran.profile)];
    return mine === undefined || tried === undefined || mine === tried;
  };
}

/**
 * Queues the jobs that waited for a probe's reason and vendor account, if it found that the reason no longer applies.
 */
export async function releaseParked(context: VendorGateContext, before: Job, after: Job): Promise<void> {
  const { probing } = before;
  if (probing === undefined || !isKnown(PARK_REASONS, probing) || after.probing !== undefined) return;
  // A cancelled probe is inconclusive.
  if (after.parked === probing || after.status === 'CANCELLED') return;
  const probe = await context.probes.read(probing);
  await queueParked(context, probing, waitsLike(context, before));
  // Once the account has been linked, another job may probe beside this one.
  if (probe?.job_id === before.id) await context.probes.forget(probing, probe);
}
