import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { isKnown } from '../../contract/later-code.ts';
import { STATUSES } from '../../contract/schemas/job.ts';
import { batchGet } from '../../platform/aws/batch-get.ts';
import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { type TransitionContext, transition } from '../dispatch/transition.ts';
import type { BUSY_REASONS, Job } from '../lifecycle/job.ts';
import type { ReadPartition } from '../store/ready-partition.ts';

/** The kind of the registry's items that are holds. */
const KIND = 'hold';

const holdSchema = z.object({
  /** The job whose attempt has the place, or is about to. */
  job_id: z.string(),
  /** The version of the job that the attempt's claim is conditional on. */
  job_version: z.number(),
  taken_at: z.string(),
});
export type Hold = z.output<typeof holdSchema>;

/** Who holds which place: a folder, or one of a profile's. A hold is never released: it counts for as long as what it is for goes on. */
export class Holds {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: { table: DynamoDBDocumentClient; registryTable: string }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  async read(place: string): Promise<Hold | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id: place }, ConsistentRead: true }),
    );
    return Item && holdSchema.parse(Item);
  }

  /** Puts `next` in the place of `known`. @returns false if somebody else was faster. */
  async replace(place: string, known: Hold | undefined, next: Hold): Promise<boolean> {
    try {
      await this.#table.send(
        new PutCommand({
          TableName: this.#tableName,
          Item: { kind: KIND, id: place, ...next },
          ...(known === undefined
            ? { ConditionExpression: 'attribute_not_exists(id)' }
            : {
                ConditionExpression: 'job_id = :job_id AND job_version = :job_version',
                ExpressionAttributeValues: { ':job_id': known.job_id, ':job_version': known.job_version },
              }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}

/** The holds of some places, by place; eventually consistent, to be shown and not to decide by. */
export async function readHolds(
  { table, registryTable }: { table: DynamoDBDocumentClient; registryTable: string },
  places: readonly string[],
): Promise<ReadonlyMap<string, Hold>> {
  const items = await batchGet(
    table,
    registryTable,
    places.map((id) => ({ kind: KIND, id })),
  );
  return new Map(items.map((item) => [String(item.id), holdSchema.parse(item)]));
}

/** What giving places to attempts needs. */
export interface HoldContext extends TransitionContext {
  readonly holds: Pick<Holds, 'read' | 'replace'>;
  readonly partition: ReadPartition;
}

/** Whether what a job holds its place for goes on though its attempt has ended. */
export type GoesOn = (holder: Job) => Promise<boolean>;
const NEVER: GoesOn = async () => false;

/** How often a hold is tried for: each time somebody else was faster. */
const TRIES = 3;

/**
 * Holds a place for the claim of exactly this version of a job.
 * @returns false while another attempt has it, or may be about to.
 */
export async function takeHold(
  context: HoldContext,
  job: Job,
  place: string,
  goesOn: GoesOn = NEVER,
): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const known = await context.holds.read(place);
    const next: Hold = {
      job_id: job.id,
      job_version: job.version,
      taken_at: timestamp(context.clock.now()),
    };
    if (known?.job_id === next.job_id && known.job_version === next.job_version) return true;
    if (known !== undefined && !(await isOver(context, { place, hold: known, goesOn }))) return false;
    if (await context.holds.replace(place, known, next)) return true;
  }
  return false;
}

/** Whether no attempt has a place, nor may be about to. */
export async function isFree(context: HoldContext, place: string, goesOn: GoesOn = NEVER): Promise<boolean> {
  const hold = await context.holds.read(place);
  return hold === undefined || (await isOver(context, { place, hold, goesOn }));
}

/** How long (ms) a claim may take between its hold and its write, before somebody doubts that it comes. */
const CLAIM_TIME = 10_000;

/** Whether the attempt that a hold is for runs no more, or will never run there. */
async function isOver(
  context: HoldContext,
  { place, hold, goesOn }: { place: string; hold: Hold; goesOn: GoesOn },
): Promise<boolean> {
  const job = await context.jobs.look(hold.job_id);
  if (job === 'newer') return false;
  if (job === undefined) return true;
  // What a state of a later version holds its place for, that version says.
  if (!isKnown(STATUSES, job.status)) return false;
  if (job.status === 'RUNNING') return job.folder !== place && job.place !== place;
  if (job.version !== hold.job_version) return !(await goesOn(job));
  if (context.clock.now() - Date.parse(hold.taken_at) < CLAIM_TIME) return false;
  // The claim may still be under way: a new version refuses it.
  return (await context.jobs.apply(job, job)).applied;
}

/** Queues the best of the jobs that wait in a partition for places, at most so many. */
export async function wakeWaiting(
  context: HoldContext,
  { partition, reason }: { partition: string; reason: (typeof BUSY_REASONS)[number] },
  isStillWaiting: (job: Job) => boolean,
  most = 1,
): Promise<void> {
  let woken = 0;
  for await (const listed of context.partition(partition)) {
    if (woken >= most) return;
    const result = await skipDamaged(`job ${listed.id}`, async () => {
      const job = await context.jobs.get(listed.id, { consistent: true });
      // The index may be stale.
      if (job === undefined || !isStillWaiting(job)) return undefined;
      return await transition(context, job, { type: 'unpark', reason }, { rounds: 1 });
    });
    if (result?.done === true) woken += 1;
  }
}
