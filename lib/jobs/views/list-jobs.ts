import { InvalidFieldError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { JobListQuery } from '../../contract/schemas/jobs/job-list.ts';
import type { JobCounts, StatusCounts } from '../../counters/counts.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { askingStates } from '../indexes/list-keys.ts';
import type { Folders } from '../lifecycle/working-folder.ts';
import type { ListedJob } from '../store/job-index.ts';
import { foreignCursor, type ListPosition, positionSchema, readCursor, writeCursor } from '../store/list-position.ts';
import type { IndexRange } from '../store/listed-items.ts';
import { searchWords } from '../store/search-words.ts';
import { type FilterContext, scanned, searched, withAddress, withState } from './filtered-list.ts';
import { type Candidate, filterOf } from './list-filter.ts';

/** Dependencies for listing jobs. */
interface ListContext extends FilterContext {
  readonly counts: JobCounts;
  readonly folders: Folders;
}

interface JobPage {
  readonly items: readonly Candidate[];
  /** How many jobs match; a lower bound unless `totalComplete`. */
  readonly total: number;
  readonly totalComplete: boolean;
  readonly offset: number;
  readonly limit: number;
  readonly statusCounts: StatusCounts;
  readonly nextCursor: string | undefined;
}

/**
 * A page of jobs. Without filters, or with `status` alone, its cost does not depend on the number of jobs. Other
 * filters read the jobs' summaries, `search` the texts of whole months or of the jobs in order, up to `mostRead` in one request.
 * @throws InvalidFieldError for an invalid cursor, and for a cursor together with an offset
 */
export async function listJobs(context: ListContext, request: JobListQuery): Promise<JobPage> {
  const { limit = LIMITS.list.default, offset = 0, cursor } = request;
  if (cursor !== undefined && offset > 0) {
    throw InvalidFieldError.of('offset', "can't be combined with cursor, which contains the position");
  }
  const range = rangeOf(request);
  const filter = filterOf(context.folders, request);
  if (filter === undefined) {
    const { mostRead } = context;
    const [statusCounts, { items, nextCursor }] = await Promise.all([
      context.counts.read(),
      context.index.page({ ...range, ...{ limit, offset, cursor }, ...(mostRead !== undefined && { mostRead }) }),
    ]);
    const [counted, labelled] = await Promise.all([
      countOf(context, request, statusCounts),
      withLabels(context, items),
    ]);
    return {
      items: labelled,
      ...totalOf(counted, { offset, cursor, nextCursor }, items.length),
      offset,
      limit,
      statusCounts,
      nextCursor,
    };
  }
  const statusCounts = await context.counts.read();
  const { thread, tree, search } = request;
  if (thread !== undefined && search) throw InvalidFieldError.of('thread', "can't be combined with search");
  if (tree !== undefined && search) throw InvalidFieldError.of('tree', "can't be combined with search");
  if (tree !== undefined && thread !== undefined) throw InvalidFieldError.of('tree', "can't be combined with thread");
  const position = cursor === undefined ? { counted: 0, from: offset } : positionOf(cursor, range);
  // A search that has met a large month continues after a job.
  const read = searchWords(search ?? '').length > 0 && position.after === undefined ? searched : scanned;
  const { items, total, next } = await read(context, { request, range, filter, position, limit });
  return {
    items: await withLabels(context, await withState(context, items, range)),
    total,
    totalComplete: next.isComplete,
    offset: position.from,
    limit,
    statusCounts,
    nextCursor: next.position && writeCursor(next.position),
  };
}

/** Jobs are counted a moment after they are listed. The page that ends a list knows their number if it knows its place. */
function totalOf(
  counted: number,
  { offset, cursor, nextCursor }: { offset: number; cursor: string | undefined; nextCursor: string | undefined },
  listed: number,
): Pick<JobPage, 'total' | 'totalComplete'> {
  const least = listed === 0 ? 0 : offset + listed;
  if (cursor === undefined && nextCursor === undefined && listed > 0) return { total: least, totalComplete: true };
  return {
    total: Math.max(counted, least),
    totalComplete: counted > least || (counted === least && nextCursor === undefined),
  };
}

/** How many jobs a list without filters has. */
async function countOf({ counts }: ListContext, { needs, status }: JobListQuery, known: StatusCounts): Promise<number> {
  if (needs === 'answer') {
    const states = await counts.readStates();
    return askingStates(status).reduce((total, state) => total + (states[state] ?? 0), 0);
  }
  return status === undefined ? sum(known) : known[status];
}

async function withLabels({ labels }: ListContext, jobs: readonly ListedJob[]): Promise<Candidate[]> {
  const found = await labels.read(jobs.map(withAddress));
  return jobs.map((job) => ({ job, labels: found.get(job.id) ?? {} }));
}

/** @throws InvalidFieldError for a position outside the range, which would never end */
function positionOf(cursor: string, range: IndexRange): ListPosition {
  const position = readCursor(cursor, positionSchema);
  const at = (position.after ?? position.shown)?.created_at;
  if (at !== undefined && (at < (range.from ?? at) || at > (range.to ?? at))) throw foreignCursor(cursor);
  return position;
}

/** @throws InvalidFieldError for a state in which no job waits for an answer */
export function rangeOf({ status, needs, created_after, created_before, order }: JobListQuery): IndexRange {
  if (needs !== undefined && askingStates(status).length === 0)
    throw InvalidFieldError.of('status', `received ${status}; only QUEUED and RUNNING jobs need an answer`);
  return {
    status,
    needs,
    order,
    from: created_after,
    // Times have milliseconds.
    to: created_before === undefined ? undefined : timestamp(Date.parse(created_before) - 1),
  };
}

function sum(counts: StatusCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
