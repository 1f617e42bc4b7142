import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { timestamp } from '../../platform/aws/table-clock.ts';
import type { Registry } from '../../platform/registry.ts';
import { PARK_REASONS, type ParkReason } from '../lifecycle/gates.ts';
import type { Job } from '../lifecycle/job.ts';

const KIND = 'probe';

const probeSchema = z.object({
  /** The job that probes. */
  job_id: z.string(),
  /** The attempt that probes. */
  attempt: z.number(),
  /** The job's profile then. */
  profile: z.string(),
  /** The job's round then; absent if it had not been retried. */
  round: z.number().optional(),
  /** The accounts that have had their turn since each had one. */
  tried: z.array(z.string()),
  /** The start of the first probe of those that have found nothing since. */
  since: z.string(),
  /** No other probe starts before this time. */
  next_at: z.string(),
});
export type Probe = z.output<typeof probeSchema>;

/** The longest pause (ms) between two probes for one reason. Each may start a worker, billed for three minutes. */
export const LONGEST_PAUSE_MS = 900_000;

/** How much longer than necessary a job may wait for the next probe, as a part of the time that probes have taken. */
const PART = 1 / 8;

/**
 * When the next probe may start, after one that starts now. The pauses grow: a job that is forgotten for weeks must
 * not keep a worker up for all that time.
 * @param every the shortest pause (ms)
 */
export function nextProbe(
  last: Probe | undefined,
  { now, every }: { readonly now: number; readonly every: number },
): Pick<Probe, 'since' | 'next_at'> {
  const isNext = last !== undefined && now <= Date.parse(last.next_at) + LONGEST_PAUSE_MS;
  const since = isNext ? last.since : timestamp(now);
  const pause = Math.max(every, Math.min(LONGEST_PAUSE_MS, Math.round((now - Date.parse(since)) * PART)));
  return { since, next_at: timestamp(now + pause) };
}

/** The latest probe of each parking reason. */
export class ProbeStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: Registry) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  async read(reason: ParkReason): Promise<Probe | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id: reason }, ConsistentRead: true }),
    );
    return Item && probeSchema.parse(Item);
  }

  /** Replaces `known` with `next`. @returns false if another writer was faster. */
  async replace(reason: ParkReason, known: Probe | undefined, next: Probe): Promise<boolean> {
    return await this.#ifStill(known, (condition) =>
      this.#table.send(
        new PutCommand({
          TableName: this.#tableName,
          Item: { kind: KIND, id: reason, ...next, identity: identityOf(next) },
          ...condition,
        }),
      ),
    );
  }

  /** Forgets a probe whose result has been applied, unless a newer one exists. */
  async forget(reason: ParkReason, known: Probe): Promise<void> {
    await this.#ifStill(known, (condition) =>
      this.#table.send(
        new DeleteCommand({ TableName: this.#tableName, Key: { kind: KIND, id: reason }, ...condition }),
      ),
    );
  }

  /**
   * Parked jobs with the time of their next check: when they are due, but not before the next probe. Others are
   * unchanged.
   */
  async dated<J extends Pick<Job, 'status' | 'reason' | 'due_at'>>(jobs: readonly J[]): Promise<J[]> {
    const next = new Map<ParkReason, string | undefined>();
    for (const reason of new Set(jobs.map(parkReasonOf)))
      if (reason !== undefined) next.set(reason, (await this.read(reason))?.next_at);
    return jobs.map((job) => {
      const reason = parkReasonOf(job);
      const nextAt = reason && next.get(reason);
      return nextAt !== undefined && nextAt > (job.due_at ?? '') ? { ...job, due_at: nextAt } : job;
    });
  }

  async #ifStill(
    known: Probe | undefined,
    write: (condition: {
      ConditionExpression: string;
      ExpressionAttributeNames?: Record<string, string>;
      ExpressionAttributeValues?: Record<string, unknown>;
    }) => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await write(
        known === undefined
          ? { ConditionExpression: 'attribute_not_exists(id)' }
          : {
              ConditionExpression: '#identity = :identity',
              ExpressionAttributeNames: { '#identity': 'identity' },
              ExpressionAttributeValues: { ':identity': identityOf(known) },
            },
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}

/** Identifies a probe: a job may probe again with the same attempt number if the attempt could not start. */
function identityOf({ job_id, attempt, next_at }: Probe): string {
  return `${job_id} ${attempt} ${next_at}`;
}

function parkReasonOf({ status, reason }: Pick<Job, 'status' | 'reason'>): ParkReason | undefined {
  if (status !== 'QUEUED') return undefined;
  return PARK_REASONS.find((known) => known === reason);
}
