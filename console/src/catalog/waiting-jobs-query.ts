import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

type JobSummary = Schemas['JobSummary'];

/** Jobs that have not started and use a rule or profile. */
export interface WaitingJobs {
  /** Drafts and queued jobs. */
  readonly jobs: readonly JobSummary[];
  /** How many jobs were not read and may use it too. */
  readonly unread: number;
}

/** Maximum jobs read per state. The list does not include rules, so each job costs a request. */
const READ_PER_STATE = 20;

/** The drafts and queued jobs that use a rule or profile, within a bounded number of requests. */
export function waitingJobsQuery(what: 'rule' | 'profile', name: string) {
  return queryOptions({
    queryKey: ['jobs', 'waiting-for', what, name],
    // Never from the cache: these jobs are about to fail.
    staleTime: 0,
    gcTime: 0,
    queryFn: async (): Promise<WaitingJobs> => {
      const profile = what === 'profile' ? { profile: name } : {};
      const lists = await Promise.all(
        (['QUEUED', 'DRAFT'] as const).map(async (status) => {
          const query = { status, limit: READ_PER_STATE, ...profile };
          return await dataOf(api.GET('/api/v1/jobs', { params: { query } }));
        }),
      );
      const read = lists.flatMap(({ items }) => items);
      const jobs = what === 'profile' ? read : await withRule(read, name);
      return { jobs, unread: lists.reduce((sum, { total }) => sum + total, 0) - read.length };
    },
  });
}

async function withRule(jobs: readonly JobSummary[], rule: string): Promise<JobSummary[]> {
  const read = await Promise.all(
    jobs.map(async (job) => await dataOf(api.GET('/api/v1/jobs/{id}', { params: { path: { id: job.id } } }))),
  );
  return jobs.filter((_, at) => read[at]?.rule_ids.includes(rule) === true);
}
