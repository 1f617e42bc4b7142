import { type Profile, type ProfileStore, profileKey, profileOf } from '../../catalog/profiles.ts';
import { batchGet } from '../../platform/aws/batch-get.ts';
import { gathered } from '../../platform/gather-calls.ts';
import type { Registry } from '../../platform/registry.ts';
import {
  type ProjectSettings,
  type ProjectSettingsStore,
  readSettingsItem,
  settingsKey,
} from '../../projects/project-settings.ts';
import type { Job } from '../lifecycle/job.ts';
import { type JobTextStore, type JobTexts, textsInItem, textsKey } from '../store/job-texts.ts';

/** What a claim and its attempt need from the registry, as of the last acknowledged writes before the claim. */
export interface ClaimReads {
  /** undefined: it does not exist. */
  readonly profile: Profile | undefined;
  /** The settings of the job's project. @throws Error if they can't be read, which fails the attempt, not the claim */
  readonly settings: () => ProjectSettings;
  /** The job's texts. @throws Error if they can't be read */
  readonly texts: () => Promise<JobTexts>;
}

type Key = Readonly<Record<'kind' | 'id', string>>;

/** Items of the registry by their keys, in no order, with those that others ask for at the same time. */
type ReadItems = (keys: readonly Key[]) => Promise<readonly Record<string, unknown>[]>;

/** The stores that a claim reads. */
export interface ClaimReadsContext {
  readonly readClaimItems: ReadItems;
  readonly texts: Pick<JobTextStore, 'get' | 'read'>;
}

/**
 * `ReadItems` of one process: claims that begin together make one request. Consistent: a limit applies to every claim
 * after the import that set it was answered.
 */
export function claimItems({ table, registryTable }: Registry): ReadItems {
  return gathered(async (asked: readonly (readonly Key[])[]) => {
    const keys = new Map(asked.flat().map((key) => [JSON.stringify([key.kind, key.id]), key]));
    return await batchGet(table, registryTable, [...keys.values()], { consistent: true });
  });
}

/** Reads in one request. */
export async function readForClaim({ readClaimItems, texts }: ClaimReadsContext, job: Job): Promise<ClaimReads> {
  const inItem = textsInItem(job);
  const keys = [
    profileKey(job.profile),
    settingsKey(job.project_id),
    ...(inItem === undefined ? [textsKey(job)] : []),
  ] as const;
  const items = await readClaimItems(keys);
  const [profile, settings, text] = keys.map((key) => items.find(({ kind, id }) => kind === key.kind && id === key.id));
  return {
    profile: profileOf(job.profile, profile),
    settings: () => readSettingsItem(settings),
    texts: async () => inItem ?? (await (text === undefined ? texts.get(job) : texts.read(job, text))),
  };
}

/** A store that answers for one job what its claim has read. */
export function claimedSettings(
  { projectSettings }: { readonly projectSettings: Pick<ProjectSettingsStore, 'get'> },
  job: Job,
  { settings }: Pick<ClaimReads, 'settings'>,
): Pick<ProjectSettingsStore, 'get'> {
  return { get: async (id) => (id === job.project_id ? settings() : await projectSettings.get(id)) };
}

/** A store that answers for one job what its claim has read. */
export function claimedProfile(
  { profiles }: { readonly profiles: Pick<ProfileStore, 'get'> },
  job: Job,
  { profile }: Pick<ClaimReads, 'profile'>,
): Pick<ProfileStore, 'get'> {
  return { get: async (name, how) => (name === job.profile ? profile : await profiles.get(name, how)) };
}
