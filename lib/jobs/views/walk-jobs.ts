import type { JobListQuery } from '../../contract/schemas/jobs/job-list.ts';
import type { Folders } from '../lifecycle/working-folder.ts';
import { isInRange, type ListedJob } from '../store/job-index.ts';
import type { ListedKey } from '../store/list-position.ts';
import { searchWords } from '../store/search-words.ts';
import {
  type FilterContext,
  inRange,
  keyOf,
  type Listed,
  matching,
  namedJobs,
  withAddress,
  withState,
} from './filtered-list.ts';
import { type Candidate, type Filter, filterOf } from './list-filter.ts';
import { rangeOf } from './list-jobs.ts';

/** Index entries that one query of all partitions reads, and jobs that are read at once: one request. */
const ENTRIES_PER_QUERY = 1_000;
const JOBS_AT_ONCE = 100;

export interface WalkContext extends FilterContext {
  readonly folders: Folders;
  /** Jobs of a part at most; default: 100. */
  readonly atOnce?: number;
}

/** Some jobs of a walk, and the last one that was looked at for them. */
interface Stretch {
  readonly jobs: readonly Candidate[];
  readonly reached: ListedKey;
}

/**
 * All jobs of a filtered list from the oldest on, in parts, each job as it is when its part is read. Unlike the pages of a
 * list, a walk counts nothing, so that it reads each entry once.
 * @param after the job to continue behind, whether or not it still exists
 */
export async function* walkJobs(
  context: WalkContext,
  filters: Omit<JobListQuery, 'limit' | 'offset' | 'order' | 'cursor'>,
  after: ListedKey | undefined,
): AsyncGenerator<Stretch> {
  const request: JobListQuery = { ...filters, order: 'oldest' };
  const { atOnce = JOBS_AT_ONCE } = context;
  const range = rangeOf(request);
  const filter = filterOf(context.folders, request) ?? ofState(request);
  const words = searchWords(request.search ?? '');
  const known = await namedJobs(context, request);
  const parts =
    known === undefined ? context.index.pages(range, after, ENTRIES_PER_QUERY) : [inRange(known, range, after)];
  for await (const part of parts) {
    for (let at = 0; at < part.length; at += atOnce) {
      const listed: readonly Listed[] = part.slice(at, at + atOnce);
      const last = listed.at(-1);
      if (last === undefined) continue;
      const matches = await matching(context, listed, filter);
      const found = words.length === 0 ? undefined : (await context.index.containing(matches, words)).found;
      const wanted = matches.filter(({ id }) => found === undefined || found.has(id));
      const jobs = await withState(context, wanted, range);
      yield { jobs: await labelled(context, jobs), reached: keyOf(last) };
    }
  }
}

async function labelled({ labels }: FilterContext, jobs: readonly ListedJob[]): Promise<Candidate[]> {
  const found = await labels.read(jobs.map(withAddress));
  return jobs.map((job) => ({ job, labels: found.get(job.id) ?? {} }));
}

/** The filter of a request that has no condition but the state. */
function ofState({ status, needs }: JobListQuery): Filter {
  return {
    needsState: status === 'SUCCEEDED',
    needsLabels: false,
    mayMatch: () => true,
    matches: (job) => !('status' in job) || isInRange(job, { status, needs }),
  };
}
