import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { batchGet } from '../../platform/aws/batch-get.ts';
import type { Registry } from '../../platform/registry.ts';
import type { Job } from '../lifecycle/job.ts';
import { monthPartition } from './month-partitions.ts';
import { removeJobRows } from './remove-job-rows.ts';
import { folded, type MatchedRow, wordsIn } from './search-words.ts';

const labelsSchema = z.object({ title: z.string().optional(), tags: z.array(z.string()).optional() });

/** A job's title and tags; absent if not set. */
export type JobLabels = z.output<typeof labelsSchema>;

/** Labels as an edit sets them; undefined: unchanged. */
type LabelChanges = { readonly title: string | undefined; readonly tags: string[] | undefined };

/** The members of a job that locate its labels. */
type LabelsOwner = Pick<Job, 'id' | 'created_at' | 'labels'>;

const KIND = 'labels';

/**
 * Title and tags are stored beside the job's item, in one row for jobs that have any, because every write is billed for
 * the whole item. Like the prompt texts they are addressed by their content and written before the job.
 */
export class JobLabelStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #registryTable: string;

  constructor(options: Registry) {
    this.#table = options.table;
    this.#registryTable = options.registryTable;
  }

  /** The address of these labels in any job; undefined if they are empty and have no row. */
  static address(labels: JobLabels): string | undefined {
    const { title, tags } = withoutEmpty(labels);
    if (title === undefined && tags === undefined) return undefined;
    return createHash('sha256')
      .update(JSON.stringify([title, tags]))
      .digest('hex')
      .slice(0, 16);
  }

  /** Writes the labels; `owner.labels` must be their address. */
  async put(owner: LabelsOwner, labels: JobLabels): Promise<void> {
    const Item = { ...labelsKey(owner), ...withoutEmpty(labels) };
    await this.#table.send(new PutCommand({ TableName: this.#registryTable, Item }));
  }

  /** The labels of the given jobs by job id, without jobs that have none. */
  async read(
    owners: readonly LabelsOwner[],
    options: { consistent?: boolean } = {},
  ): Promise<ReadonlyMap<string, JobLabels>> {
    const labelled = owners.filter(({ labels }) => labels !== undefined);
    const items = await batchGet(this.#table, this.#registryTable, labelled.map(labelsKey), options);
    return new Map(items.map((item) => [ownerOf(item).id, labelsSchema.parse(item)]));
  }

  /** The labels of one job, as of the last acknowledged write. */
  async of(owner: LabelsOwner): Promise<JobLabels> {
    return (await this.read([owner], { consistent: true })).get(owner.id) ?? {};
  }

  /** Removes all labels that a job ever had. */
  async removeAll(owner: LabelsOwner): Promise<void> {
    const { kind } = labelsKey(owner);
    await removeJobRows(this.#table, this.#registryTable, { kind, jobId: owner.id });
  }
}

/** The labels after an edit; an empty title or list removes them. */
export function withLabels(labels: JobLabels, changes: LabelChanges): JobLabels {
  return withoutEmpty({ ...labels, ...withoutUndefined(changes) });
}

/** The job that a row of labels belongs to, and the `words` of a search that its title and tags contain. */
export function matchLabels(item: Readonly<Record<string, unknown>>, words: readonly string[]): MatchedRow {
  const { title = '', tags = [] } = labelsSchema.parse(item);
  const owner = ownerOf(item);
  return { ...owner, found: wordsIn(words, { texts: folded([title, ...tags].join('\0')), id: owner.id }) };
}

function ownerOf(item: Readonly<Record<string, unknown>>): { id: string; address: string } {
  const [id = '', address = ''] = String(item.id).split('#');
  return { id, address };
}

/** The key of the row with a job's labels. */
export function labelsKey(owner: LabelsOwner): { kind: string; id: string } {
  return { kind: monthPartition(KIND, owner), id: `${owner.id}#${owner.labels}` };
}

function withoutEmpty({ title, tags }: JobLabels): JobLabels {
  return {
    ...(title !== undefined && title !== '' && { title }),
    ...(tags !== undefined && tags.length > 0 && { tags: [...new Set(tags)] }),
  };
}

function withoutUndefined({ title, tags }: LabelChanges): JobLabels {
  return { ...(title !== undefined && { title }), ...(tags !== undefined && { tags }) };
}
