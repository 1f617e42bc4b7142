import type { Clock } from '../aws/table-clock.ts';
import { ApiError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { Status } from '../contract/schemas/job.ts';
import type { JobCounts, StatusCounts } from './counts.ts';
import type { JobIndex, Summary } from './job-index.ts';
import { type Folders, resolveFolder } from './working-folder.ts';

/** What listing jobs needs. */
export interface ListContext {
  readonly index: JobIndex;
  readonly counts: JobCounts;
  readonly clock: Clock;
  readonly folders: Folders;
}

export interface ListRequest {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly status?: Status | undefined;
  readonly search?: string | undefined;
  readonly cwd?: string | undefined;
  readonly project?: string | undefined;
  readonly cursor?: string | undefined;
}

export interface JobPage {
  readonly items: readonly Summary[];
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly statusCounts: StatusCounts;
  readonly nextCursor: string | undefined;
}

/**
 * A page of the jobs, newest first. Without filters, or with `status` alone, it costs the same whatever the number of
 * jobs; `cwd` and `project` read every summary, `search` every job's texts.
 * @throws ApiError `invalid_request` for a cursor that is none of ours, and for a cursor beside an offset.
 */
export async function listJobs(context: ListContext, request: ListRequest): Promise<JobPage> {
  const { limit = LIMITS.list.default, offset = 0, status } = request;
  if (request.cursor !== undefined && offset > 0) {
    throw ApiError.because(
      'invalid_request',
      'query.offset: can not be given beside cursor, which says itself where to go on',
    );
  }
  const statusCounts = await context.counts.read();
  const filter = filterOf(context, request);
  if (filter === undefined) {
    const page = await context.index.page({ status, limit, offset, cursor: request.cursor });
    const total = status === undefined ? sum(statusCounts) : statusCounts[status];
    return { ...page, total, offset, limit, statusCounts };
  }
  const from = request.cursor === undefined ? offset : context.index.position(request.cursor);
  const items: Summary[] = [];
  let total = 0;
  for await (const job of await candidates(context, request)) {
    if (!filter(job)) continue;
    if (total >= from && items.length < limit) items.push(job);
    total += 1;
  }
  const next = from + items.length;
  return {
    items,
    total,
    offset: from,
    limit,
    statusCounts,
    nextCursor: next < total ? context.index.cursorAt(next) : undefined,
  };
}

/** What a job must be to be listed; undefined: nothing beyond its status. */
function filterOf(
  context: ListContext,
  { search, cwd, project, status }: ListRequest,
): ((job: Summary) => boolean) | undefined {
  if (!search && !cwd && project === undefined) return undefined;
  return (job) =>
    (status === undefined || job.status === status) &&
    (project === undefined || job.project_id === project || job.project === project) &&
    (!cwd || job.cwd === cwd || resolved(context.folders, job) === cwd);
}

async function candidates(
  context: ListContext,
  { search, status }: ListRequest,
): Promise<AsyncIterable<Summary> | Summary[]> {
  if (search) return await context.index.search(search.toLowerCase(), context.clock.now());
  return context.index.all(status);
}

function resolved(folders: Folders, job: Summary): string | undefined {
  const folder = resolveFolder(folders, job);
  return 'path' in folder ? folder.path : undefined;
}

function sum(counts: StatusCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
