import type { Profile, ProfileStore } from '../../catalog/profiles.ts';
import type { Job } from '../lifecycle/job.ts';
import { acquireSlot, isFree, type SlotContext } from './slots.ts';

/** Dependencies for limiting how many jobs of a profile run at once. */
export interface ProfileSlotContext extends SlotContext {
  readonly profiles: Pick<ProfileStore, 'get'>;
}

/**
 * Acquires one of a profile's slots for the claim of exactly this version of a job. A profile that sets `concurrency`
 * has that many slots, each used by one attempt.
 * @returns its name, undefined if none is needed, or `busy` if none is free
 */
export async function acquireProfileSlot(
  context: SlotContext,
  job: Job,
  profile: Profile | undefined,
): Promise<{ readonly place: string | undefined } | 'busy'> {
  const ids = slotsIn(profile);
  if (ids === undefined) return { place: undefined };
  // Derived from the job, so that concurrent claims of it compete for the same slot. Not from its id, which no
  // simulation seed determines.
  const first = Date.parse(job.created_at) % ids.length;
  for (const id of [...ids.slice(first), ...ids.slice(0, first)])
    if (await acquireSlot(context, job, id)) return { place: id };
  return 'busy';
}

/** How many of a profile's slots are free. */
export async function freeSlots(context: ProfileSlotContext, profile: string): Promise<number> {
  const ids = await slotsOf(context, profile);
  if (ids === undefined) return Number.POSITIVE_INFINITY;
  let free = 0;
  for (const id of ids) if (await isFree(context, id)) free += 1;
  return free;
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
