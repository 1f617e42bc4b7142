import { InvalidFieldError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { JobListQuery } from '../../contract/schemas/job-list.ts';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import type { JobCounts, StatusCounts } from '../../stats/counting/counts.ts';
import type { Folders } from '../lifecycle/working-folder.ts';
import type { IndexRange, JobIndex, Summary } from '../store/job-index.ts';
import type { JobLabelStore } from '../store/job-labels.ts';
import {
  foreignCursor,
  type ListedKey,
  type ListPosition,
  positionSchema,
  readCursor,
  writeCursor,
} from '../store/list-position.ts';
import { searchWords } from '../store/search-words.ts';
import { type Candidate, type Filter, filterOf } from './list-filter.ts';

/** Dependencies for listing jobs. */
export interface ListContext {
  readonly index: JobIndex;
  readonly labels: JobLabelStore;
  readonly counts: JobCounts;
  readonly clock: Clock;
  readonly folders: Folders;
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
    const { items, nextCursor } = await context.index.page({ ...range, limit, offset, cursor });
    const total = request.status === undefined ? sum(statusCounts) : statusCounts[request.status];
    return {
      items: await whole(context, items.map(bare)),
      total,
      totalComplete: true,
      offset,
      limit,
      statusCounts,
      nextCursor,
    };
  }
  const position = cursor === undefined ? { counted: 0, from: offset } : positionOf(cursor, range);
  const read = searchWords(request.search ?? '').length > 0 ? searched : scanned;
  const { items, total, next } = await read(context, { request, range, filter, position, limit });
  return {
    items: await whole(context, items),
    total,
    totalComplete: next.isComplete,
    offset: position.from,
    limit,
    statusCounts,
    nextCursor: next.position && writeCursor(next.position),
  };
}

/** A filtered list from a position. */
interface Reading {
  readonly request: JobListQuery;
  readonly range: IndexRange;
  readonly filter: Filter;
  readonly position: ListPosition;
  readonly limit: number;
}

/** The part of a filtered list that was read. */
interface Read {
  readonly items: readonly Candidate[];
  readonly total: number;
  /** Where the next page begins, and whether all matches have been counted. */
  readonly next: { readonly position: ListPosition | undefined; readonly isComplete: boolean };
}

/** Reads the jobs of a range in order, up to the limit. */
async function scanned(context: ListContext, { range, filter, position, limit }: Reading): Promise<Read> {
  const { mostRead = LIMITS.jobsReadPerList } = context;
  const page = new CountedPage(position, limit);
  let read = 0;
  let last: Summary | undefined;
  for await (const jobs of context.index.pages(range, position.after)) {
    const taken = jobs.slice(0, mostRead - read);
    page.addMatches(await filled(context, taken.map(bare), filter), filter);
    read += taken.length;
    last = taken.at(-1) ?? last;
    if (read >= mostRead) break;
  }
  const isComplete = read < mostRead;
  const { items, total, shown } = page;
  const end = items.at(-1);
  if (page.isFull && end !== undefined && (!isComplete || total > shown))
    return { items, total, next: { position: { after: keyOf(end.job), counted: shown, from: shown }, isComplete } };
  if (isComplete || last === undefined) return { items, total, next: { position: undefined, isComplete } };
  return { items, total, next: { position: { after: keyOf(last), counted: total, from: shown }, isComplete } };
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
  const candidates = found.jobs.map(({ details, ...job }) => ({ job, details, labels: {} }));
  page.addMatches(await filled(context, candidates, filter), filter);
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
  readonly items: Candidate[] = [];
  readonly #from: number;
  readonly #limit: number;
  total: number;

  constructor({ counted, from }: ListPosition, limit: number) {
    this.total = counted;
    this.#from = from;
    this.#limit = limit;
  }

  addMatches(candidates: readonly Candidate[], { matches }: Filter): void {
    for (const candidate of candidates) {
      if (!matches(candidate)) continue;
      if (this.total >= this.#from && !this.isFull) this.items.push(candidate);
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

/** Candidates with the values that the filter checks. */
async function filled(context: ListContext, candidates: readonly Candidate[], filter: Filter): Promise<Candidate[]> {
  const withDetails = filter.needsDetails ? await addDetails(context, candidates) : [...candidates];
  return filter.needsLabels ? await addLabels(context, withDetails) : withDetails;
}

/** The jobs of a page with everything that an entry shows. */
async function whole(context: ListContext, candidates: readonly Candidate[]): Promise<Candidate[]> {
  return await addLabels(context, await addDetails(context, candidates));
}

async function addDetails({ index }: ListContext, candidates: readonly Candidate[]): Promise<Candidate[]> {
  const details = await index.details(candidates.map(({ job }) => job));
  return candidates.map((one) => ({ ...one, details: details.get(one.job.id) ?? one.details }));
}

async function addLabels({ labels }: ListContext, candidates: readonly Candidate[]): Promise<Candidate[]> {
  const found = await labels.read(candidates.map(({ job, details }) => ({ ...job, labels: details.labels })));
  return candidates.map((one) => ({ ...one, labels: found.get(one.job.id) ?? one.labels }));
}

function bare(job: Summary): Candidate {
  return { job, details: {}, labels: {} };
}

function keyOf({ id, created_at }: Summary): ListedKey {
  return { id, created_at };
}

/** @throws InvalidFieldError for a position outside the range, which the table would reject as an internal error */
function positionOf(cursor: string, range: IndexRange): ListPosition {
  const position = readCursor(cursor, positionSchema);
  const at = position.after?.created_at;
  if (at !== undefined && (at < (range.from ?? at) || at > (range.to ?? at))) throw foreignCursor(cursor);
  return position;
}

function rangeOf({ status, created_after, created_before, order }: JobListQuery): IndexRange {
  return {
    status,
    order,
    from: created_after,
    // Times have milliseconds.
    to: created_before === undefined ? undefined : timestamp(Date.parse(created_before) - 1),
  };
}

function sum(counts: StatusCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
