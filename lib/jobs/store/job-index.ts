import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { batchGet } from '../../platform/aws/batch-get.ts';
import { listKeys } from '../indexes/list-keys.ts';
import { jobItemSchema } from '../lifecycle/job.ts';
import { JobSearch, type SearchLimit } from './job-search.ts';
import { cursorAfter, type ListedKey, readCursorAfter } from './list-position.ts';
import { type IndexRange, listedItems } from './listed-items.ts';

/** What a list shows of a job. */
const summarySchema = jobItemSchema.pick({
  id: true,
  status: true,
  reason: true,
  project_id: true,
  project: true,
  profile: true,
  model: true,
  priority: true,
  cwd: true,
  prompt_preview: true,
  attempt: true,
  due_at: true,
  created_at: true,
  queued_at: true,
  started_at: true,
  finished_at: true,
  cancel_requested_at: true,
});
export type Summary = z.output<typeof summarySchema>;

/** Further fields that a list shows, as far as possible if the job is damaged or newer. */
const detailsSchema = jobItemSchema
  .pick({
    created_at: true,
    created_by: true,
    agent: true,
    model_used: true,
    timeout: true,
    copied_from: true,
    template: true,
    automation: true,
    ancestors: true,
    thread_id: true,
    turn: true,
    continues: true,
    forked_from: true,
    question: true,
    waits_for: true,
    exit_code: true,
    signal: true,
    error: true,
  })
  .extend({ labels: jobItemSchema.shape.labels })
  .partial();
type JobDetails = z.output<typeof detailsSchema>;

/** A job as the indexes list it: what filters need, without its state. */
const entrySchema = z.object({
  ...jobItemSchema.pick({ id: true, created_at: true, project_id: true, project: true, profile: true }).shape,
  ...jobItemSchema.pick({ cwd: true, model: true }).shape,
});
export type ListedEntry = z.output<typeof entrySchema> & { readonly details: JobDetails };

/** A job in a list, as its item has it. */
export type ListedJob = Summary & { readonly details: JobDetails };

/** The result of searching some months. */
interface Found {
  readonly jobs: readonly ListedJob[];
  /** The month to continue with, as `2026-11`; undefined: all have been searched. */
  readonly next: string | undefined;
  /** That month has more rows than may be read, and no other was searched. */
  readonly isTooLarge: boolean;
}

interface IndexPage {
  readonly items: readonly ListedJob[];
  readonly nextCursor: string | undefined;
}

type Key = Record<string, unknown>;

/** Entries that a query reads beyond an even share: ids are spread by chance. */
const SPARE_ENTRIES = 8;

/** More entries than one query returns, which is 1 MB. */
const MOST_PER_QUERY = 20_000;

/** The jobs in order of creation, all or those in one state; eventually consistent. */
export class JobIndex {
  readonly #table: DynamoDBDocumentClient;
  readonly #jobsTable: string;
  readonly #registryTable: string;

  constructor(options: { table: DynamoDBDocumentClient; jobsTable: string; registryTable: string }) {
    this.#table = options.table;
    this.#jobsTable = options.jobsTable;
    this.#registryTable = options.registryTable;
  }

  /**
   * One Query of each partition for the first page; an offset reads the entries that it skips. SUCCEEDED jobs are found
   * among all. After `mostRead` entries the page may be short, and its cursor skips the rest of the offset.
   */
  async page(
    wanted: IndexRange & { limit: number; offset: number; cursor: string | undefined; mostRead?: number },
  ): Promise<IndexPage> {
    const { status, needs, limit } = wanted;
    const { mostRead = status === 'SUCCEEDED' ? LIMITS.jobsReadPerList : LIMITS.entriesReadPerList } = wanted;
    // Earlier versions listed only QUEUED jobs with questions.
    const name = needs === undefined ? status : 'QUEUED';
    const { after, skip } =
      wanted.cursor === undefined ? { after: undefined, skip: wanted.offset } : readCursorAfter(wanted.cursor, name);
    const found: ListedEntry[] = [];
    const jobs = new Map<string, ListedJob>();
    let [read, passed] = [0, 0];
    let last: ListedEntry | undefined;
    for await (const entries of this.pages(wanted, after, skip + limit)) {
      read += entries.length;
      last = entries.at(-1);
      const current = status === 'SUCCEEDED' ? new Map((await this.jobs(entries)).map((job) => [job.id, job])) : jobs;
      const matching = entries.filter(({ id }) => status !== 'SUCCEEDED' || current.get(id)?.status === status);
      // What the offset skips is not kept: it may be most of what is read.
      const skipped = Math.min(skip - passed, matching.length);
      passed += skipped;
      for (const entry of matching.slice(skipped)) {
        found.push(entry);
        const job = current.get(entry.id);
        if (job !== undefined) jobs.set(entry.id, job);
      }
      if (found.length > limit || read >= mostRead) break;
      last = undefined;
    }
    const shown = found.slice(0, limit);
    const end = found.length > limit ? shown.at(-1) : last;
    const missing = shown.filter(({ id }) => !jobs.has(id));
    for (const job of await this.jobs(missing)) jobs.set(job.id, job);
    const items = shown.flatMap(({ id }) => jobs.get(id) ?? []);
    return {
      items: items.filter((job) => isInRange(job, wanted)),
      nextCursor: end && cursorAfter(end, name, skip - passed),
    };
  }

  /**
   * The jobs of a range in parts; for SUCCEEDED, all of the range.
   * @param after the job to continue after
   * @param expected how many are probably read
   */
  async *pages(
    { status, ...range }: IndexRange,
    after: ListedKey | undefined,
    expected?: number,
  ): AsyncGenerator<readonly ListedEntry[]> {
    // So that the partitions together usually bring enough, and one more.
    const share = expected === undefined ? undefined : Math.ceil(expected / listKeys().length) + SPARE_ENTRIES;
    const perQuery = share && Math.min(share, MOST_PER_QUERY);
    const isIndexed = status !== undefined && status !== 'SUCCEEDED';
    const parts = listedItems(
      this.#table,
      this.#jobsTable,
      { ...range, ...(isIndexed && { status }) },
      { after, perQuery },
    );
    for await (const items of parts)
      yield items.map((item) => ({ ...entrySchema.parse(item), details: detailsOf(item) }));
  }

  /** The jobs of entries, in no order; one that was just removed is missing. */
  async jobs(entries: readonly Pick<Summary, 'id'>[]): Promise<ListedJob[]> {
    const items = await this.#items(entries.map(({ id }) => id));
    return items.map(listedJob);
  }

  /**
   * Finds jobs whose current texts and labels together contain all the words, in whole months.
   * @param words of `searchWords`, at least one
   * @param options.month the first month to search; default: that of the range's newest, or oldest, job
   */
  async search(
    words: readonly string[],
    range: IndexRange,
    options: { now: number; month: string | undefined; limit: SearchLimit },
  ): Promise<Found> {
    const oldest = await this.#oldestMonth();
    if (oldest === undefined) return { jobs: [], next: undefined, isTooLarge: false };
    const { items, ...end } = await this.#search().search(words, range, { ...options, oldest });
    return { jobs: items.map(listedJob), ...end };
  }

  /** Those of the jobs whose current texts and labels together contain all the words, and the size of these in bytes. */
  async containing(
    entries: readonly Pick<Summary, 'id'>[],
    words: readonly string[],
  ): Promise<{ found: ReadonlySet<string>; bytes: number }> {
    const ids = entries.map(({ id }) => id);
    return await this.#search().among(ids, words);
  }

  #search(): JobSearch {
    return new JobSearch({
      table: this.#table,
      registryTable: this.#registryTable,
      itemsOf: async (ids) => await this.#items(ids),
    });
  }

  async #oldestMonth(): Promise<string | undefined> {
    for await (const [oldest] of this.pages({ order: 'oldest' }, undefined, 1)) return oldest?.created_at.slice(0, 7);
    return undefined;
  }

  async #items(ids: readonly string[]): Promise<Key[]> {
    return await batchGet(
      this.#table,
      this.#jobsTable,
      ids.map((id) => ({ id })),
    );
  }
}

/** Whether a job is still where the index had it. */
export function isInRange({ status, details }: ListedJob, range: Pick<IndexRange, 'status' | 'needs'>): boolean {
  if (range.status !== undefined && status !== range.status) return false;
  return range.needs === undefined || details.question?.state === 'open';
}

function listedJob(item: Key): ListedJob {
  return { ...summarySchema.parse(item), details: detailsOf(item) };
}

function detailsOf(item: Key): JobDetails {
  return detailsSchema.safeParse(item).data ?? {};
}
