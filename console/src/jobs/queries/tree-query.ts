import { LIMITS } from '../../../../lib/contract/limits.ts';
import { api, dataOf } from '../../api/client.ts';
import type { Job } from './job-query.ts';
import type { JobSummary } from './jobs-query.ts';

/** A job of a tree, and how many jobs lie between it and the root. */
export interface TreeJob extends JobSummary {
  readonly depth: number;
}

/** The tree that a job belongs to: each job is followed by those that it brought about. It is polled, since it grows. */
export function treeQuery({ id, root_id }: Pick<Job, 'id' | 'root_id'>) {
  const root = root_id ?? id;
  return {
    queryKey: ['tree', root] as const,
    queryFn: async (): Promise<readonly TreeJob[]> => {
      const query = { tree: root, order: 'oldest', limit: LIMITS.list.max } as const;
      return inOrder((await dataOf(api.GET('/api/v1/jobs', { params: { query } }))).items);
    },
    refetchInterval: 3_000,
  };
}

/** Jobs whose parent was deleted are shown as roots. */
function inOrder(jobs: readonly JobSummary[]): TreeJob[] {
  const ids = new Set(jobs.map(({ id }) => id));
  const children = Map.groupBy(jobs, ({ parent_id }) => (ids.has(parent_id ?? '') ? parent_id : null));
  const below = (parent: string | null, depth: number): TreeJob[] =>
    (children.get(parent) ?? []).flatMap((job) => [{ ...job, depth }, ...below(job.id, depth + 1)]);
  return below(null, 0);
}
