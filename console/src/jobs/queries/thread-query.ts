import { api, dataOf } from '../../api/client.ts';
import type { Job } from './job-query.ts';
import type { JobSummary } from './jobs-query.ts';

/** Turns shown of a thread, the newest ones. The list of jobs has all of them. */
const SHOWN_TURNS = 20;

/** The newest turns of a thread, in order. */
export interface ThreadTurns {
  readonly turns: readonly JobSummary[];
  /** Number of all turns. */
  readonly total: number;
}

/** The thread of a job. It is polled, since others can continue it. */
export function threadQuery({ thread_id }: Pick<Job, 'thread_id'>) {
  return {
    queryKey: ['thread', thread_id] as const,
    queryFn: async (): Promise<ThreadTurns> => {
      const query = { thread: thread_id, limit: SHOWN_TURNS };
      const { items, total } = await dataOf(api.GET('/api/v1/jobs', { params: { query } }));
      return { turns: items.toSorted((one, other) => (one.turn ?? 0) - (other.turn ?? 0)), total };
    },
    refetchInterval: 10_000,
  };
}
