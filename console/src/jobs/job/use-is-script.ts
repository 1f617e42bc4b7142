import { useQuery } from '@tanstack/react-query';
import { profilesQuery } from '../form/catalog-choices.ts';
import type { Job } from './job-query.ts';

/**
 * Whether the job's prompt is a shell script, which reports no events and no usage.
 * @returns undefined until it is known; false if the profile no longer exists
 */
export function useIsScript(job: Job): boolean | undefined {
  const profiles = useQuery({ ...profilesQuery, staleTime: 60_000 });
  if (profiles.isPending) return undefined;
  return profiles.data?.find(({ name }) => name === job.profile)?.agent === 'shell';
}
