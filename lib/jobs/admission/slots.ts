import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { isKnown } from '../../contract/later-code.ts';
import { STATUSES } from '../../contract/statuses.ts';
import { batchGet } from '../../platform/aws/batch-get.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import type { Registry } from '../../platform/registry.ts';
import type { TransitionContext } from '../dispatch/transition.ts';
import { automationOf } from '../lifecycle/cause.ts';
import type { Job } from '../lifecycle/job.ts';

/** The registry kind under which slots are stored. */
const KIND = 'hold';

const slotSchema = z.object({
  /** The job whose attempt uses the slot, or is about to. */
  job_id: z.string(),
  /** The job version that the attempt's claim is conditional on. */
  job_version: z.number(),
  taken_at: z.string(),
});
export type Slot = z.output<typeof slotSchema>;

/**
 * Which job uses which slot: a folder, or one of a profile's slots. Slots are never released: each is taken for as long
 * as it is used.
 */
export class SlotStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: Registry) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  async read(id: string): Promise<Slot | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id }, ConsistentRead: true }),
    );
    return Item && slotSchema.parse(Item);
  }

  /** Replaces `known` with `next`. @returns false if another writer was faster. */
  async replace(id: string, known: Slot | undefined, next: Slot): Promise<boolean> {
    try {
      await this.#table.send(
        new PutCommand({
          TableName: this.#tableName,
          Item: { kind: KIND, id, ...next },
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

/** The given slots by name. Eventually consistent: for display, not for decisions. */
export async function readSlots(
  { table, registryTable }: Registry,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Slot>> {
  const items = await batchGet(
    table,
    registryTable,
    ids.map((id) => ({ kind: KIND, id })),
  );
  return new Map(items.map((item) => [String(item.id), slotSchema.parse(item)]));
}

/** Dependencies for assigning slots to attempts. */
export interface SlotContext extends TransitionContext {
  readonly slots: Pick<SlotStore, 'read' | 'replace'>;
}

/** A job that uses a slot. */
export interface SlotUser {
  readonly id: string;
  /** Its attempt runs; otherwise it may be about to run, or what follows from its end uses the slot. */
  readonly isRunning: boolean;
  /** The jobs that its agents have started by a tool. */
  readonly tool_children?: readonly string[] | undefined;
  readonly thread_id?: string | undefined;
}

/** Who uses a slot besides a running attempt that has taken it. */
export interface SlotRule {
  /** Whether a job still uses its slot although its attempt has ended. */
  readonly isStillUsed?: (holder: Job) => Promise<boolean>;
  /** Whether a running attempt uses the slot although its claim did not take it. */
  readonly worksThere?: (running: Job) => boolean;
  /** Those that use the slot beside the job that took it last. */
  readonly usersBeside?: (holder: Job) => Promise<readonly SlotUser[]>;
  /** Whether the job that needs the slot may use it at the same time as these. */
  readonly mayJoin?: (users: readonly SlotUser[]) => Promise<boolean>;
  /** The job that is taken to have the slot before any job has taken it. */
  readonly firstHolder?: () => Promise<string | undefined>;
}

/** The version in a slot that was recorded for its first holder: no claim depends on it. */
const NO_VERSION = -1;

/** How often acquiring a slot is tried while other writers are faster. */
const MAX_TRIES = 3;

/**
 * Acquires a slot for the claim of exactly this version of a job.
 * @returns false while another attempt uses it, or may be about to
 */
export async function acquireSlot(context: SlotContext, job: Job, id: string, rule: SlotRule = {}): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = await context.slots.read(id);
    const taken_at = timestamp(context.clock.now());
    const first = known === undefined ? await rule.firstHolder?.() : undefined;
    if (first !== undefined) {
      await context.slots.replace(id, undefined, { job_id: first, job_version: NO_VERSION, taken_at });
      continue;
    }
    const next: Slot = { job_id: job.id, job_version: job.version, taken_at };
    if (known?.job_id === next.job_id && known.job_version === next.job_version) return true;
    if (known !== undefined) {
      const users = await usersIn(context, { id, slot: known, rule });
      if (users.length > 0 && (await rule.mayJoin?.(users)) !== true) return false;
    }
    if (await context.slots.replace(id, known, next)) return true;
  }
  return false;
}

/** Whether no attempt uses a slot or may be about to. */
export async function isFree(context: SlotContext, id: string): Promise<boolean> {
  return (await usersOf(context, id)).length === 0;
}

/** The jobs that use a slot or may be about to. */
export async function usersOf(context: SlotContext, id: string, rule: SlotRule = {}): Promise<readonly SlotUser[]> {
  const slot = await context.slots.read(id);
  return slot === undefined ? [] : await usersIn(context, { id, slot, rule });
}

/** How long a claim may take between taking its slot and its write before the slot is checked. */
const CLAIM_TIMEOUT_MS = 10_000;

async function usersIn(
  context: SlotContext,
  { id, slot, rule }: { id: string; slot: Slot; rule: SlotRule },
): Promise<readonly SlotUser[]> {
  const job = await context.jobs.find(slot.job_id);
  if (job === undefined) return [];
  if (job === 'newer') return [{ id: slot.job_id, isRunning: false }];
  const { tool_children, thread_id } = job;
  const user = { id: job.id, isRunning: job.status === 'RUNNING', tool_children, thread_id };
  const holder = (await isOver(context, { id, slot, rule }, job)) ? [] : [user];
  return [...holder, ...((await rule.usersBeside?.(job)) ?? [])];
}

/** Whether the attempt that took a slot no longer runs, or will never run there. */
async function isOver(
  context: SlotContext,
  { id, slot, rule }: { id: string; slot: Slot; rule: SlotRule },
  job: Job,
): Promise<boolean> {
  // Only the later version that wrote this state knows whether it still uses its slot.
  if (!isKnown(STATUSES, job.status)) return false;
  if (job.status === 'RUNNING') return !hasTaken(job, id) && rule.worksThere?.(job) !== true;
  if (job.version !== slot.job_version) return (await rule.isStillUsed?.(job)) !== true;
  if (context.clock.now() - Date.parse(slot.taken_at) < CLAIM_TIMEOUT_MS) return false;
  // The claim may still be in progress: a new version of the job makes it fail.
  return (await context.jobs.apply(job, job)).applied;
}

/** Whether the claim of a running attempt took a slot. */
function hasTaken({ folder, place, thread_id, cause }: Job, id: string): boolean {
  if (folder === id || place === id) return true;
  const automation = automationOf(cause);
  return [thread_id && threadSlot(thread_id), automation && automationSlot(automation)].includes(id);
}

/** The name of an automation's slot: one of its jobs runs at a time. */
export function automationSlot(automation: string): string {
  return `automation:${automation}`;
}

/** The name of a thread's slot: one turn at a time runs. */
export function threadSlot(threadId: string): string {
  return `thread#${threadId}`;
}
