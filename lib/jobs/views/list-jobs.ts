import { InvalidFieldError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { JobListQuery } from '../../contract/schemas/job-list.ts';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import type { JobCounts, StatusCounts } from '../../stats/counting/counts.ts';
import { ASKING_STATE } from '../lifecycle/job.ts';
import type { Folders } from '../lifecycle/working-folder.ts';
import type { JobIndex, ListedEntry, ListedJob } from '../store/job-index.ts';
import type { JobLabelStore, JobLabels } from '../store/job-labels.ts';
import {
  foreignCursor,
  type ListedKey,
  type ListPosition,
  positionSchema,
  readCursor,
  writeCursor,
} from '../store/list-position.ts';
import { type IndexRange, oldestFirst } from '../store/listed-items.ts';
import { searchWords } from '../store/search-words.ts';
import type { ThreadStore } from '../threads/thread-store.ts';
import { type Candidate, type Filter, filterOf } from './list-filter.ts';

/** Dependencies for listing jobs. */
export interface ListContext {
  readonly index: JobIndex;
  readonly labels: JobLabelStore;
  readonly counts: JobCounts;
  readonly clock: Clock;
  readonly folders: Folders;
  readonly threads: Pick<ThreadStore, 'turns'>;
  /** Jobs that one request of a filtered list reads at most; default: `LIMITS.jobsReadPerList`. */
  readonly mostRead?: number;
}

export interface JobPage {
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
 * filters read the jobs' summaries, `search` the texts of whole months, up to `mostRead` in one request.
 * @throws InvalidFieldError for an invalid cursor, and for a cursor together with an offset
 */
export async function listJobs(context: ListContext, request: JobListQuery): Promise<JobPage> {
  const { limit = LIMITS.list.default, offset = 0, cursor } = request;
  if (cursor !== undefined && offset > 0) {
    throw InvalidFieldError.of('offset', "can't be combined with cursor, which contains the position");
  }
  const statusCounts = await context.counts.read();
  const range = rangeOf(request);
  const filter = filterOf(context.folders, request);
  if (filter === undefined) {
    const { mostRead } = context;
    const { items, nextCursor } = await context.index.page({
      ...range,
      ...{ limit, offset, cursor },
      ...(mostRead !== undefined && { mostRead }),
    });
    const total = await countOf(context, request, statusCounts);
    return {
      items: await withLabels(context, items),
      total,
      totalComplete: true,
      offset,
      limit,
      statusCounts,
      nextCursor,
    };
  }
  const { thread, search } = request;
  if (thread !== undefined && search) throw InvalidFieldError.of('thread', "can't be combined with search");
  const position = cursor === undefined ? { counted: 0, from: offset } : positionOf(cursor, range);
  const read = searchWords(request.search ?? '').length > 0 ? searched : scanned;
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

/** How many jobs a list without filters has. */
async function countOf({ counts }: ListContext, { needs, status }: JobListQuery, known: StatusCounts): Promise<number> {
  if (needs === 'answer') return (await counts.readStates())[ASKING_STATE] ?? 0;
  return status === undefined ? sum(known) : known[status];
}

/** A filtered list from a position. */
interface Reading {
  readonly request: JobListQuery;
  readonly range: IndexRange;
  readonly filter: Filter;
  readonly position: ListPosition;
  readonly limit: number;
}

/** An index entry, or the job itself if it was read. */
type Listed = ListedEntry | ListedJob;

/** The part of a filtered list that was read. */
interface Read {
  readonly items: readonly Listed[];
  readonly total: number;
  /** Where the next page begins, and whether all matches have been counted. */
  readonly next: { readonly position: ListPosition | undefined; readonly isComplete: boolean };
}

/** Reads the jobs of a range in order, up to the limit. */
async function scanned(context: ListContext, { request, range, filter, position, limit }: Reading): Promise<Read> {
  const { mostRead = LIMITS.jobsReadPerList } = context;
  const page = new CountedPage(position, limit);
  let read = 0;
  let last: Listed | undefined;
  const { thread } = request;
  const pages =
    thread === undefined
      ? context.index.pages(range, position.after)
      : [await jobsOfThread(context, thread, range, position.after)];
  for await (const jobs of pages) {
    const taken = jobs.slice(0, mostRead - read);
    page.add(await matching(context, taken, filter));
    read += taken.length;
    last = taken.at(-1) ?? last;
    if (read >= mostRead) break;
  }
  const isComplete = read < mostRead;
  const { items, total, shown } = page;
  const end = items.at(-1);
  if (page.isFull && end !== undefined && (!isComplete || total > shown))
    return { items, total, next: { position: { after: keyOf(end), counted: shown, from: shown }, isComplete } };
  if (isComplete || last === undefined) return { items, total, next: { position: undefined, isComplete } };
  return { items, total, next: { position: { after: keyOf(last), counted: total, from: shown }, isComplete } };
}

/** The jobs of a thread within a range, after a position. */
async function jobsOfThread(
  { index, threads }: ListContext,
  thread: string,
  { from = '', to, order }: IndexRange,
  after: ListedKey | undefined,
): Promise<readonly ListedJob[]> {
  const turns = await threads.turns(thread);
  const jobs = await index.jobs(turns.map(({ jobId }) => ({ id: jobId })));
  const compare = order === 'oldest' ? oldestFirst : (a: ListedKey, b: ListedKey) => oldestFirst(b, a);
  return jobs
    .filter(({ created_at }) => created_at >= from && (to === undefined || created_at <= to))
    .filter((job) => after === undefined || compare(job, after) > 0)
    .toSorted(compare);
}

/** Searches the texts and labels of whole months, up to the limit. Sorts the result, so that pages are stable. */
async function searched(context: ListContext, { request, range, filter, position, limit }: Reading): Promise<Read> {
  const { mostRead = LIMITS.jobsReadPerList } = context;
  const page = new CountedPage(position, limit);
  const { month, counted } = position;
  const found = await context.index.search(searchWords(request.search ?? ''), range, {
    now: context.clock.now(),
    month,
    mostRows: mostRead,
  });
  page.add(await matching(context, found.jobs, filter));
  const { items, total, shown } = page;
  const isComplete = found.next === undefined;
  if (page.isFull && (!isComplete || total > shown))
    return {
      items,
      total,
      next: { position: { ...(month !== undefined && { month }), counted, from: shown }, isComplete },
    };
  const rest = found.next === undefined ? undefined : { month: found.next, counted: total, from: shown };
  return { items, total, next: { position: rest, isComplete } };
}

/** Counts the matches of a list from a position, and keeps those on its page. */
class CountedPage {
  readonly items: Listed[] = [];
  readonly #from: number;
  readonly #limit: number;
  total: number;

  constructor({ counted, from }: ListPosition, limit: number) {
    this.total = counted;
    this.#from = from;
    this.#limit = limit;
  }

  add(matches: readonly Listed[]): void {
    for (const job of matches) {
      if (this.total >= this.#from && !this.isFull) this.items.push(job);
      this.total += 1;
    }
  }

  get isFull(): boolean {
    return this.items.length >= this.#limit;
  }

  /** Matches up to the end of the page. */
  get shown(): number {
    return this.#from + this.items.length;
  }
}

/** Those of the jobs that match, read as far as the filter needs. */
async function matching(
  { index, labels }: ListContext,
  listed: readonly Listed[],
  { needsState, needsLabels, mayMatch, matches }: Filter,
): Promise<Listed[]> {
  const possible = listed.filter(mayMatch);
  const jobs = needsState ? await inOrder(index, possible) : possible;
  const found = needsLabels ? await labels.read(jobs.map(withAddress)) : new Map<string, JobLabels>();
  return jobs.filter((job) => matches(job, found.get(job.id) ?? {}));
}

/** The jobs themselves, without those that are gone or have left the state meanwhile. */
async function withState(
  { index }: ListContext,
  listed: readonly Listed[],
  { status }: IndexRange,
): Promise<ListedJob[]> {
  const jobs = await inOrder(index, listed);
  return jobs.filter((job) => status === undefined || job.status === status);
}

async function inOrder(index: JobIndex, listed: readonly Listed[]): Promise<ListedJob[]> {
  const missing = listed.filter((job) => !('status' in job));
  const read = new Map((await index.jobs(missing)).map((job) => [job.id, job]));
  return listed.flatMap((job) => ('status' in job ? job : (read.get(job.id) ?? [])));
}

async function withLabels({ labels }: ListContext, jobs: readonly ListedJob[]): Promise<Candidate[]> {
  const found = await labels.read(jobs.map(withAddress));
  return jobs.map((job) => ({ job, labels: found.get(job.id) ?? {} }));
}

function withAddress<J extends Listed>(job: J) {
  return { ...job, labels: job.details.labels };
}

function keyOf({ id, created_at }: Listed): ListedKey {
  return { id, created_at };
}

/** @throws InvalidFieldError for a position outside the range, which would never end */
function positionOf(cursor: string, range: IndexRange): ListPosition {
  const position = readCursor(cursor, positionSchema);
  const at = position.after?.created_at;
  if (at !== undefined && (at < (range.from ?? at) || at > (range.to ?? at))) throw foreignCursor(cursor);
  return position;
}

/** @throws InvalidFieldError for a state in which no job waits for an answer */
function rangeOf({ status, needs, created_after, created_before, order }: JobListQuery): IndexRange {
  if (needs !== undefined && status !== undefined && status !== 'QUEUED')
    throw InvalidFieldError.of('status', `received ${status}; only QUEUED jobs need an answer`);
  return {
    ...(needs === undefined ? { status } : { status: 'QUEUED', needs }),
    order,
    from: created_after,
    // Times have milliseconds.
    to: created_before === undefined ? undefined : timestamp(Date.parse(created_before) - 1),
  };
}

function sum(counts: StatusCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
