import { createHash } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import type { Registry } from '../../platform/registry.ts';
import type { Job } from '../lifecycle/job.ts';
import { JobLabelStore } from './job-labels.ts';
import { JobMessageStore } from './job-messages.ts';
import { monthPartition } from './month-partitions.ts';
import { QuestionStore } from './question-store.ts';
import { removeJobRows } from './remove-job-rows.ts';
import { folded, type MatchedRow, wordsIn } from './search-words.ts';

/** The texts of a job as given: large, changed only by an edit, and everything that a search covers. */
const jobTextsSchema = z.object({
  prompt: z.string(),
  extra_prompt: z.string().optional(),
  rule_ids: z.array(z.string()).optional(),
  project: z.string(),
  cwd: z.string().optional(),
  /** The template that it was created from. An edit leaves it as it is. */
  from: z
    .object({
      name: z.string(),
      version: z.number(),
      parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      in_prompt: z.boolean(),
      in_environment: z.boolean(),
    })
    .optional(),
  /** Its prompt has data from outside, such as that of a hook. An edit leaves it as it is. */
  has_data: z.literal(true).optional(),
});
export type JobTexts = z.output<typeof jobTextsSchema>;

/** The members of a job that locate its texts. */
type TextsOwner = Pick<Job, 'id' | 'created_at' | 'texts' | 'labels'>;

/** A job, as the owner of texts that may be in its item. */
type Texted = TextsOwner & Pick<Job, 'prompt_preview' | 'project' | 'cwd'>;

/**
 * The texts are stored beside the job's item, addressed by their content and written before it, so that a repeated or
 * partial write can't change another job's. Large ones are in S3; the table keeps the text that a search covers.
 */
export class JobTextStore {
  /** Title and tags, which lists read without the texts. */
  readonly labels: JobLabelStore;
  /** Messages to jobs. */
  readonly messages: JobMessageStore;
  readonly questions: QuestionStore;
  readonly #table: DynamoDBDocumentClient;
  readonly #registryTable: string;
  readonly #objects: S3Client;
  readonly #bucket: string;

  constructor(options: Registry & { objects: S3Client; bucket: string }) {
    this.#table = options.table;
    this.#registryTable = options.registryTable;
    this.labels = new JobLabelStore(options);
    this.messages = new JobMessageStore(options);
    this.questions = new QuestionStore(options);
    this.#objects = options.objects;
    this.#bucket = options.bucket;
  }

  /** The address of these texts in any job. */
  static address(texts: JobTexts): string {
    return createHash('sha256')
      .update(JSON.stringify(ordered(texts)))
      .digest('hex')
      .slice(0, 16);
  }

  /** Writes the texts; `owner.texts` must be their address. */
  async put(owner: TextsOwner, texts: JobTexts): Promise<void> {
    const body = JSON.stringify(ordered(texts));
    const inline = Buffer.byteLength(body) <= LIMITS.inlineSpecBytes;
    if (!inline) {
      await this.#objects.send(
        new PutObjectCommand({
          Bucket: this.#bucket,
          Key: objectKey(owner),
          Body: body,
          ContentType: 'application/json',
        }),
      );
    }
    const content = inline ? { body } : { search: searchText(owner.id, texts) };
    await this.#table.send(
      new PutCommand({ TableName: this.#registryTable, Item: { ...textsKey(owner), ...content } }),
    );
  }

  /** @throws Error if they are missing: they are written before the job, so that is a bug */
  async get(owner: Texted): Promise<JobTexts> {
    const inItem = textsInItem(owner);
    if (inItem !== undefined) return inItem;
    // Texts written a moment ago may be missing from the cheaper read; a job that is claimed at once must not fail
    // because of it.
    return await this.read(owner, (await this.#item(owner, false)) ?? (await this.#item(owner, true)) ?? {});
  }

  /** The texts whose item was read. */
  async read(owner: TextsOwner, item: Record<string, unknown>): Promise<JobTexts> {
    const body = typeof item.body === 'string' ? item.body : await this.#readObject(owner);
    return jobTextsSchema.parse(JSON.parse(body));
  }

  /** Deletes all texts, labels and messages of a job from the table. Texts in S3 are deleted with the job's other objects. */
  async removeAll(owner: TextsOwner): Promise<void> {
    await this.labels.removeAll(owner);
    await this.messages.removeAll(owner.id);
    await this.questions.removeAll(owner.id);
    const { kind } = textsKey(owner);
    await removeJobRows(this.#table, this.#registryTable, { kind, jobId: owner.id });
  }

  async #item(owner: TextsOwner, consistent: boolean): Promise<Record<string, unknown> | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#registryTable, Key: textsKey(owner), ConsistentRead: consistent }),
    );
    return Item;
  }

  async #readObject(owner: TextsOwner): Promise<string> {
    const { Body } = await this.#objects.send(new GetObjectCommand({ Bucket: this.#bucket, Key: objectKey(owner) }));
    if (Body === undefined) throw new Error(`job ${owner.id}: its texts ${owner.texts} have no content`);
    return await Body.transformToString('utf8');
  }
}

/**
 * The texts of a job if its own item has them all: a short prompt is its preview. Their address proves it, so they need
 * not be read. They are stored for searches all the same.
 */
export function textsInItem({ prompt_preview: prompt, project, cwd, texts }: Texted): JobTexts | undefined {
  const inItem = { prompt, project, ...(cwd !== undefined && { cwd }) };
  return JobTextStore.address(inItem) === texts ? inItem : undefined;
}

/** The key of the item with a job's texts. */
export function textsKey(owner: TextsOwner): { kind: string; id: string } {
  return { kind: monthPartition('texts', owner), id: `${owner.id}#${owner.texts}` };
}

/** The job that a text item belongs to, and the `words` of a search that it contains. */
export function matchTexts(item: Record<string, unknown>, words: readonly string[]): MatchedRow {
  const { id: key, body, search } = textItemSchema.parse(item);
  const [id = '', address = ''] = key.split('#');
  const searched = body === undefined ? (search ?? '') : searchText(id, jobTextsSchema.parse(JSON.parse(body)));
  return { id, address, found: wordsIn(words, { texts: searched.slice(searched.indexOf(PARTED) + 1), id }) };
}

const textItemSchema = z.object({ id: z.string(), body: z.string().optional(), search: z.string().optional() });

function objectKey(owner: TextsOwner): string {
  return `jobs/${owner.id}/texts/${owner.texts}.json`;
}

/** A character that can't be typed. */
const PARTED = '\0';

/** Folded, the id first. */
function searchText(jobId: string, { prompt, extra_prompt = '', project, cwd = '' }: JobTexts): string {
  const texts = `${prompt}\n${extra_prompt}`.slice(0, LIMITS.searchTextLength).toWellFormed();
  return [jobId, folded(project), folded(cwd), folded(texts).slice(0, LIMITS.searchTextLength).toWellFormed()].join(
    PARTED,
  );
}

/** A fixed order of members, so that equal texts have the same address. */
function ordered({ prompt, extra_prompt, rule_ids, project, cwd, from, has_data }: JobTexts): JobTexts {
  return {
    prompt,
    ...(extra_prompt !== undefined && { extra_prompt }),
    ...(rule_ids?.length && { rule_ids }),
    project,
    ...(cwd !== undefined && { cwd }),
    ...(from !== undefined && { from }),
    ...(has_data !== undefined && { has_data }),
  };
}
