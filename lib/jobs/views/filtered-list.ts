import { LIMITS } from '../../contract/limits.ts';
import type { JobListQuery } from '../../contract/schemas/jobs/job-list.ts';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import { isInRange, type JobIndex, type ListedEntry, type ListedJob } from '../store/job-index.ts';
import type { JobLabelStore, JobLabels } from '../store/job-labels.ts';
import type { ListedKey, ListPosition } from '../store/list-position.ts';
import { type IndexRange, oldestFirst } from '../store/listed-items.ts';
import { monthAfter } from '../store/month-partitions.ts';
import { searchWords } from '../store/search-words.ts';
import type { ThreadStore } from '../threads/thread-store.ts';
import { rootOf, type TreeStore } from '../trees/tree-store.ts';
import type { Filter } from './list-filter.ts';

/** Jobs whose texts are read at once: some megabytes, at most 64 KiB each. */
const JOBS_PER_SEARCH = 400;

/** What a filtered list reads. */
export interface FilterContext {
  readonly index: JobIndex;
  readonly labels: JobLabelStore;
  readonly clock: Clock;
  readonly threads: Pick<ThreadStore, 'turns'>;
  readonly trees: Pick<TreeStore, 'read'>;
  /** Jobs that one request of a filtered list reads at most; default: `LIMITS.jobsReadPerList`. */
  readonly mostRead?: number;
  /** Bytes of texts and labels that one search reads at most; default: `LIMITS.bytesSearchedPerList`. */
  readonly mostBytes?: number;
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
export type Listed = ListedEntry | ListedJob;

/** The part of a filtered list that was read. */
interface Read {
  readonly items: readonly Listed[];
  readonly total: number;
  /** Where the next page begins, and whether all matches have been counted. */
  readonly next: { readonly position: ListPosition | undefined; readonly isComplete: boolean };
}

/**
 * Reads the jobs of a range in order, up to the limit. A search reads their texts and labels too, so it stops when the
 * page is full.
 */
export async function scanned(
  context: FilterContext,
  { request, range, filter, position, limit }: Reading,
): Promise<Read> {
  const { search = '' } = request;
  const words = searchWords(search);
  const isSearch = words.length > 0;
  const { mostRead = isSearch ? LIMITS.jobsSearchedPerList : LIMITS.jobsReadPerList } = context;
  const { mostBytes = LIMITS.bytesSearchedPerList } = context;
  const page = new CountedPage({ position, limit, order: range.order });
  let read = 0;
  let bytes = 0;
  let isComplete = true;
  let last: Listed | undefined;
  const known = await namedJobs(context, request);
  const pages =
    known === undefined
      ? context.index.pages(range, position.after, isSearch ? JOBS_PER_SEARCH : undefined)
      : [inRange(known, range, position.after)];
  for await (const jobs of pages) {
    const taken = jobs.slice(0, mostRead - read);
    const matches = await matching(context, taken, filter);
    const searchedTexts = isSearch ? await context.index.containing(matches, words) : undefined;
    page.add(searchedTexts === undefined ? matches : matches.filter(({ id }) => searchedTexts.found.has(id)));
    bytes += searchedTexts?.bytes ?? 0;
    read += taken.length;
    last = taken.at(-1) ?? last;
    isComplete = read < mostRead && bytes < mostBytes && !(isSearch && page.isFull);
    if (!isComplete) break;
  }
  const { items, total, shown } = page;
  const end = items.at(-1);
  if (page.isFull && end !== undefined && (!isComplete || page.hasMore))
    return { items, total, next: { position: { after: keyOf(end), counted: shown, from: shown }, isComplete } };
  if (isComplete || last === undefined) return { items, total, next: { position: undefined, isComplete } };
  return { items, total, next: { position: { after: keyOf(last), counted: total, from: shown }, isComplete } };
}

/** The jobs of the thread or tree that a request names; undefined: it names none. */
export async function namedJobs(
  context: FilterContext,
  { thread, tree }: JobListQuery,
): Promise<readonly ListedJob[] | undefined> {
  if (thread !== undefined) return await jobsOfThread(context, thread);
  return tree === undefined ? undefined : await jobsOfTree(context, tree);
}

async function jobsOfThread({ index, threads }: FilterContext, thread: string): Promise<readonly ListedJob[]> {
  const turns = await threads.turns(thread);
  return await index.jobs(turns.map(({ jobId }) => ({ id: jobId })));
}

/** A job and its descendants. */
async function jobsOfTree({ index, trees }: FilterContext, id: string): Promise<readonly ListedJob[]> {
  const [top] = await index.jobs([{ id }]);
  const { members } = await trees.read(rootOf({ id, ancestors: top?.details.ancestors }));
  const others = await index.jobs(members.filter((member) => member !== id).map((member) => ({ id: member })));
  const below = others.filter(({ details }) => details.ancestors?.some((ancestor) => ancestor.id === id));
  return top === undefined ? below : [top, ...below];
}

/** Those of the jobs within a range, after a position, in its order. */
export function inRange(
  jobs: readonly ListedJob[],
  { from = '', to, order }: IndexRange,
  after: ListedKey | undefined,
): readonly ListedJob[] {
  const compare = order === 'oldest' ? oldestFirst : (a: ListedKey, b: ListedKey) => oldestFirst(b, a);
  return jobs
    .filter(({ created_at }) => created_at >= from && (to === undefined || created_at <= to))
    .filter((job) => after === undefined || compare(job, after) > 0)
    .toSorted(compare);
}

/**
 * Searches the texts and labels of whole months, up to the limit, and sorts what it finds. From a month on that has more
 * than one request may read, it reads the jobs in order.
 */
export async function searched(context: FilterContext, reading: Reading): Promise<Read> {
  const { request, range, filter, position, limit } = reading;
  const { mostRead = LIMITS.jobsReadPerList, mostBytes = LIMITS.bytesSearchedPerList } = context;
  const page = new CountedPage({ position, limit, order: range.order });
  const { month, counted, shown: seen } = position;
  const found = await context.index.search(searchWords(request.search ?? ''), range, {
    now: context.clock.now(),
    month,
    limit: { rows: mostRead, bytes: mostBytes },
  });
  const last = seen === undefined ? {} : { shown: seen };
  if (found.isTooLarge && found.next !== undefined) {
    const part = fromMonth(range, found.next);
    const isInside = seen !== undefined && isWithin(seen, part);
    const behind = { ...(isInside && { after: seen }), counted: position.from, from: position.from };
    return await scanned(context, { ...reading, position: seen === undefined ? position : behind, range: part });
  }
  page.add(await matching(context, found.jobs, filter));
  const { items, total, shown } = page;
  const isComplete = found.next === undefined;
  const end = items.at(-1);
  const until = end === undefined ? last : { shown: keyOf(end) };
  if (page.isFull && (!isComplete || page.hasMore)) {
    const next = { ...(month !== undefined && { month }), ...until, counted, from: shown };
    return { items, total, next: { position: next, isComplete } };
  }
  const rest = found.next === undefined ? undefined : { month: found.next, ...until, counted: total, from: shown };
  return { items, total, next: { position: rest, isComplete } };
}

function isWithin({ created_at }: ListedKey, { from = created_at, to = created_at }: IndexRange): boolean {
  return created_at >= from && created_at <= to;
}

/** The part of a range that begins with a month, in the range's order. */
function fromMonth(range: IndexRange, month: string): IndexRange {
  const first = `${month}-01T00:00:00.000Z`;
  const last = timestamp(Date.parse(`${monthAfter(month)}-01T00:00:00.000Z`) - 1);
  const { from = first, to = last } = range;
  if (range.order === 'oldest') return { ...range, from: from > first ? from : first };
  return { ...range, to: to < last ? to : last };
}

/** Counts the matches of a list from a position, and keeps those on its page. */
class CountedPage {
  readonly items: Listed[] = [];
  readonly #position: ListPosition;
  readonly #limit: number;
  readonly #isBehind: (one: ListedKey, other: ListedKey) => boolean;
  total: number;
  /** Whether there are matches behind the page. */
  hasMore = false;

  constructor({ position, limit, order }: { position: ListPosition; limit: number; order: IndexRange['order'] }) {
    this.#position = position;
    this.#limit = limit;
    const direction = order === 'oldest' ? 1 : -1;
    this.#isBehind = (one, other) => direction * oldestFirst(one, other) > 0;
    this.total = position.counted;
  }

  add(matches: readonly Listed[]): void {
    for (const job of matches) {
      const isSkipped = this.#isSkipped(job);
      this.total += 1;
      if (isSkipped) continue;
      if (this.isFull) this.hasMore = true;
      else this.items.push(job);
    }
  }

  #isSkipped(job: ListedKey): boolean {
    const { shown, from } = this.#position;
    return shown === undefined ? this.total < from : !this.#isBehind(job, shown);
  }

  get isFull(): boolean {
    return this.items.length >= this.#limit;
  }

  /** Matches up to the end of the page. */
  get shown(): number {
    return this.#position.from + this.items.length;
  }
}

/** Those of the jobs that match, read as far as the filter needs. */
export async function matching(
  { index, labels }: FilterContext,
  listed: readonly Listed[],
  { needsState, needsLabels, mayMatch, matches }: Filter,
): Promise<Listed[]> {
  const possible = listed.filter(mayMatch);
  const jobs = needsState ? await inOrder(index, possible) : possible;
  const found = needsLabels ? await labels.read(jobs.map(withAddress)) : new Map<string, JobLabels>();
  return jobs.filter((job) => matches(job, found.get(job.id) ?? {}));
}

/** The jobs themselves, without those that are gone or have left the state meanwhile. */
export async function withState(
  { index }: FilterContext,
  listed: readonly Listed[],
  range: IndexRange,
): Promise<ListedJob[]> {
  const jobs = await inOrder(index, listed);
  return jobs.filter((job) => isInRange(job, range));
}

async function inOrder(index: JobIndex, listed: readonly Listed[]): Promise<ListedJob[]> {
  const missing = listed.filter((job) => !('status' in job));
  const read = new Map((await index.jobs(missing)).map((job) => [job.id, job]));
  return listed.flatMap((job) => ('status' in job ? job : (read.get(job.id) ?? [])));
}

/** As the store of labels finds them. */
export function withAddress<J extends Listed>(job: J) {
  return { ...job, labels: job.details.labels };
}

export function keyOf({ id, created_at }: Listed): ListedKey {
  return { id, created_at };
}
