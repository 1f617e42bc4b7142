import { type Profile, secretNames } from '../../catalog/profiles.ts';
import { quoted } from '../../contract/input/legible.ts';
import { isKnown } from '../../contract/later-code.ts';
import { SANDBOXES } from '../../contract/schemas/profile.ts';
import { invalidState } from '../dispatch/act-on-job.ts';
import type { Job } from '../lifecycle/job.ts';
import type { EarlierContext } from './continuation.ts';

/**
 * A profile may have changed since the thread began. Its conversation does not get more rights or secrets without a
 * request for them.
 * @param named whether the request names the profile
 * @throws ApiError `invalid_state`, naming `profile`
 */
export async function requireNamedGrants(
  context: Pick<EarlierContext, 'jobs' | 'readReceipt'>,
  job: Job | undefined,
  {
    profile,
    named,
    action,
  }: { readonly profile: Profile; readonly named: boolean; readonly action: 'continue' | 'fork' },
): Promise<void> {
  if (job === undefined || named) return;
  const first = job.thread_id === undefined || job.thread_id === job.id ? job : await context.jobs.find(job.thread_id);
  if (first === undefined || first === 'newer' || first.attempt === 0) return;
  const { granted } = (await context.readReceipt(first.id, first.attempt)) ?? {};
  if (granted === undefined || !isKnown(SANDBOXES, granted.sandbox)) return;
  const added = secretNames(profile).filter((name) => !granted.secrets.includes(name));
  const why = [
    ...(LAXITY[profile.sandbox] > LAXITY[granted.sandbox] ? [`the sandbox ${profile.sandbox}`] : []),
    ...(added.length > 0 ? [`the secrets ${added.join(', ')}`] : []),
  ];
  if (why.length === 0) return;
  const has = `the profile ${quoted(profile.name)} now has ${why.join(' and ')}, which its thread did not begin with`;
  throw invalidState(action, job, `${has}; name the profile to ${action} with it`, 'profile');
}

/** How much a sandbox lets an agent do. */
const LAXITY: Readonly<Record<(typeof SANDBOXES)[number], number>> = { 'read-only': 0, 'workspace-write': 1, none: 2 };
