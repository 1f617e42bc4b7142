import type { Profile, ProfileStore } from '../../catalog/profiles.ts';
import { transition } from '../dispatch/transition.ts';
import { profileKey } from '../indexes/ready-keys.ts';
import type { Job } from '../lifecycle/job.ts';
import type { ReadPartition } from '../store/ready-partition.ts';
import { acquireSlot, isFree, type SlotContext, wakeWaiting } from './slots.ts';

/** Dependencies for limiting how many jobs of a profile run at once. */
export interface ProfileSlotContext extends SlotContext {
  readonly partition: ReadPartition;
  readonly profiles: Pick<ProfileStore, 'get'>;
}

/** The result of acquiring a slot: its name, undefined if none is needed, or `busy` if none is free. */
type ProfileSlot = { readonly place: string | undefined } | 'busy';

/**
 * Acquires one of a profile's slots for the claim of exactly this version of a job. A profile that sets `concurrency`
 * has that many slots, each used by one attempt. If the result is `busy`, the job must not be claimed.
 */
export async function acquireProfileSlot(
  context: SlotContext,
  job: Job,
  profile: Profile | undefined,
): Promise<ProfileSlot> {
  const ids = slotsIn(profile);
  if (ids === undefined) return { place: undefined };
  // Derived from the job, so that concurrent claims of it compete for the same slot. Not from its id, which no
  // simulation seed determines.
  const first = Date.parse(job.created_at) % ids.length;
  for (const id of [...ids.slice(first), ...ids.slice(0, first)])
    if (await acquireSlot(context, job, id)) return { place: id };
  return 'busy';
}

/** Parks a job until a slot is free, then checks again: a slot may have become free before the job was parked. */
export async function waitForProfileSlot(context: ProfileSlotContext, job: Job): Promise<void> {
  const parked = await transition(context, job, { type: 'wait_for_profile' }, { rounds: 1 });
  if (parked.done) await wakeForFreeSlots(context, job.profile);
}

/** Queues the best of the jobs that wait for a profile, as many as it has free slots. */
export async function wakeForFreeSlots(context: ProfileSlotContext, profile: string): Promise<void> {
  const ids = await slotsOf(context, profile);
  let free = ids === undefined ? Number.POSITIVE_INFINITY : 0;
  for (const id of ids ?? []) if (await isFree(context, id)) free += 1;
  if (free > 0) await wakeOf(context, profile, free);
}

/** Queues the best of the jobs that wait for a profile, after an attempt has freed its slot. */
export async function wakeNextOf(context: ProfileSlotContext, profile: string): Promise<void> {
  await wakeOf(context, profile, 1);
}

async function wakeOf(context: ProfileSlotContext, profile: string, most: number): Promise<void> {
  const waiting = { partition: profileKey(profile), reason: 'profile_busy' } as const;
  await wakeWaiting(context, waiting, (job) => job.profile === profile, most);
}

/** The names of a profile's slots; undefined if the profile has no limit. */
export async function slotsOf(
  { profiles }: Pick<ProfileSlotContext, 'profiles'>,
  name: string,
): Promise<string[] | undefined> {
  return slotsIn(await profiles.get(name, { consistent: true }));
}

function slotsIn(profile: Profile | undefined): string[] | undefined {
  if (profile?.concurrency === undefined) return undefined;
  return Array.from({ length: profile.concurrency }, (_, at) => `profile#${profile.name}#${at}`);
}
