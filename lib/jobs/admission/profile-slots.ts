import type { ProfileStore } from '../../catalog/profiles.ts';
import { transition } from '../dispatch/transition.ts';
import { type Job, profileKey } from '../lifecycle/job.ts';
import { acquireSlot, isFree, type SlotContext, wakeWaiting } from './slots.ts';

/** What letting so many jobs of a profile run at once needs. */
export interface ProfileSlotContext extends SlotContext {
  readonly profiles: Pick<ProfileStore, 'get'>;
}

/** What came of looking for a place: its name, none needed, or none free. */
export type ProfileSlot = { readonly place: string | undefined } | 'busy';

/**
 * Takes one of a profile's places for the claim of exactly this version of a job. A profile that sets `concurrency` has
 * so many, each held by one attempt; who finds none must not be claimed.
 */
export async function acquireProfileSlot(context: ProfileSlotContext, job: Job): Promise<ProfileSlot> {
  const places = await slotsOf(context, job.profile);
  if (places === undefined) return { place: undefined };
  // By the job, so that whoever else claims it just now finds the same place taken for it; not by its id, which no seed of a simulation decides.
  const first = Date.parse(job.created_at) % places.length;
  for (const place of [...places.slice(first), ...places.slice(0, first)])
    if (await acquireSlot(context, job, place)) return { place };
  return 'busy';
}

/** Parks a job until a place is free, and looks once more: one may have become free before the job could be found. */
export async function waitForProfileSlot(context: ProfileSlotContext, job: Job): Promise<void> {
  const parked = await transition(context, job, { type: 'wait_for_profile' }, { rounds: 1 });
  if (parked.done) await wakeForFreeSlots(context, job.profile);
}

/** Queues the best of the jobs that wait for a profile: as many as it has free places. */
export async function wakeForFreeSlots(context: ProfileSlotContext, profile: string): Promise<void> {
  const places = await slotsOf(context, profile);
  let free = places === undefined ? Number.POSITIVE_INFINITY : 0;
  for (const place of places ?? []) if (await isFree(context, place)) free += 1;
  if (free > 0) await wakeOf(context, profile, free);
}

/** Queues the best of the jobs that wait for a profile: an attempt has left its place. */
export async function wakeNextOf(context: ProfileSlotContext, profile: string): Promise<void> {
  await wakeOf(context, profile, 1);
}

async function wakeOf(context: ProfileSlotContext, profile: string, most: number): Promise<void> {
  const waiting = { partition: profileKey(profile), reason: 'profile_busy' } as const;
  await wakeWaiting(context, waiting, (job) => job.profile === profile, most);
}

/** The names of a profile's places; undefined: it has no limit. */
export async function slotsOf(
  { profiles }: Pick<ProfileSlotContext, 'profiles'>,
  name: string,
): Promise<string[] | undefined> {
  // Consistently: a limit counts for every claim after the import that was answered.
  const concurrency = (await profiles.get(name, { consistent: true }))?.concurrency;
  if (concurrency === undefined) return undefined;
  return Array.from({ length: concurrency }, (_, at) => `profile#${name}#${at}`);
}
