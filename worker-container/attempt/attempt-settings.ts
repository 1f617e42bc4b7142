import { type Profile, secretNames } from '../../lib/catalog/profiles.ts';
import type { Rule } from '../../lib/catalog/rules.ts';
import type { ClaimReads } from '../../lib/jobs/admission/claim.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { JobTexts } from '../../lib/jobs/store/job-texts.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import type { AttemptContext } from './attempt-context.ts';

/** Everything that an attempt must read before it can start. */
export interface AttemptSettings {
  readonly profile: Profile;
  readonly texts: JobTexts;
  readonly rules: readonly Rule[];
  /** By name; missing ones are absent. */
  readonly secrets: ReadonlyMap<string, string>;
}

/**
 * Reads what an attempt needs.
 * @throws SettingsUnreadError if a service was busy or unreachable; Error with a plain message if the job can't be run.
 */
export async function readSettings(
  context: Pick<AttemptContext, 'rules' | 'secrets'>,
  job: Job,
  reads: Pick<ClaimReads, 'profile' | 'texts'>,
): Promise<AttemptSettings> {
  return await rethrowTransient(async () => {
    const { profile } = reads;
    if (profile === undefined) throw new Error(`profile ${job.profile} no longer exists`);
    const texts = await reads.texts();
    const { rules, unknown } = await context.rules.get(texts.rule_ids ?? []);
    if (unknown.length > 0) throw new Error(`the job's rules no longer exist: ${unknown.join(', ')}`);
    return { profile, texts, rules, secrets: await readSecrets(context, profile) };
  });
}

/** Values of the secrets that a profile refers to, by name; missing ones are absent. */
export async function readSecrets(
  { secrets }: Pick<AttemptContext, 'secrets'>,
  profile: Profile,
): Promise<ReadonlyMap<string, string>> {
  const names = secretNames(profile);
  return (names.length === 0 ? undefined : await secrets?.read(names, profile.name)) ?? new Map();
}
