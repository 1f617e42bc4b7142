import { ApiError } from '../../api/api-error.ts';
import { api, dataOf } from '../../api/client.ts';
import type { JobSummary } from '../queries/jobs-query.ts';
import { eachConcurrently } from './each-concurrently.ts';

/** A selected job as it is now. */
export interface SelectedJob {
  readonly job: JobSummary;
  /** Its state when it was selected; undefined if that is still its state. */
  readonly before: JobSummary['status'] | undefined;
  readonly isDeleted: boolean;
}

/** Jobs per page of a list, the maximum. */
const PAGE_SIZE = 500;
/** A page takes about as long as reading this many jobs one by one. */
const JOBS_PER_PAGE = 50;

/**
 * Reads selected jobs again, in their order.
 * @throws ApiError with the service's message, or UnreachableError
 */
export async function readAgain(selected: readonly JobSummary[]): Promise<SelectedJob[]> {
  const current = await readListed(selected);
  const deleted = new Set<string>();
  const left = selected.filter(({ id }) => !current.has(id));
  await eachConcurrently(left, async (job) => {
    const read = await readJob(job);
    if (read === undefined) deleted.add(job.id);
    else current.set(job.id, read);
  });
  return selected.map((job) => {
    const now = current.get(job.id) ?? job;
    const before = now.status === job.status ? undefined : job.status;
    return { job: now, before, isDeleted: deleted.has(job.id) };
  });
}

/**
 * Those of many selected jobs that are close to each other in the list of all jobs, which takes few requests. Misses
 * jobs if the selection is sparse.
 */
async function readListed(selected: readonly JobSummary[]): Promise<Map<string, JobSummary>> {
  const found = new Map<string, JobSummary>();
  const ids = new Set(selected.map(({ id }) => id));
  const times = selected.map(({ created_at }) => Date.parse(created_at));
  const range = {
    created_after: new Date(Math.min(...times)).toISOString(),
    created_before: new Date(Math.max(...times) + 1).toISOString(),
  };
  let cursor: string | undefined;
  for (let pages = Math.floor(selected.length / JOBS_PER_PAGE); pages > 0 && found.size < ids.size; pages -= 1) {
    const query = { ...range, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
    const page = await dataOf(api.GET('/api/v1/jobs', { params: { query } }));
    for (const job of page.items) if (ids.has(job.id)) found.set(job.id, job);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return found;
}

/** A job with its present state; undefined if it was deleted. */
async function readJob(job: JobSummary): Promise<JobSummary | undefined> {
  try {
    const now = await dataOf(api.GET('/api/v1/jobs/{id}/status', { params: { path: { id: job.id } } }));
    return { ...job, ...now };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
