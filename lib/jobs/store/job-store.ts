import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { indexKeys, type Job } from '../lifecycle/job.ts';
import { NewerSchemaError } from '../lifecycle/newer-schema.ts';
import { readJob } from './read-job.ts';

/** What came of a conditional write: applied, or who was faster. */
export type Applied =
  | { readonly applied: true; readonly job: Job }
  | { readonly applied: false; readonly current: Job | undefined };

/** The jobs table: the one truth about every job. */
export class JobStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(table: DynamoDBDocumentClient, tableName: string) {
    this.#table = table;
    this.#tableName = tableName;
  }

  /** `consistent`: sees every write that was acknowledged. @throws NewerSchemaError */
  async get(id: string, options: { consistent: boolean }): Promise<Job | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { id }, ConsistentRead: options.consistent }),
    );
    return Item && readJob(Item);
  }

  /** The job as it stands, consistently; `newer`: not one of this version's, to be left alone. */
  async find(id: string): Promise<Job | 'newer' | undefined> {
    try {
      return await this.get(id, { consistent: true });
    } catch (error) {
      if (error instanceof NewerSchemaError) return 'newer';
      throw error;
    }
  }

  /** Stores a new job unless its id is taken; then answers with the job that has it. */
  async create(job: Job): Promise<Applied> {
    try {
      await this.#table.send(
        new PutCommand({
          TableName: this.#tableName,
          Item: { ...job, ...indexKeys(job) },
          ConditionExpression: 'attribute_not_exists(id)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return { applied: true, job };
    } catch (error) {
      return ownWrite(refusedBy(error), job.change_id);
    }
  }

  /**
   * Makes `known` into `next` if the job still has the version that was judged. Writes only what differs, so that a
   * heartbeat in between is not undone.
   * @param options.sameLease also on condition that no heartbeat came in between: the judgement was that it would not.
   */
  async apply(known: Job, next: Job, { sameLease = false }: { sameLease?: boolean } = {}): Promise<Applied> {
    const changeId = newChangeId();
    const isClaim = next.attempt !== known.attempt;
    const changed: Job = {
      ...next,
      version: known.version + 1,
      change_id: changeId,
      ...(isClaim && { claim_id: changeId }),
    };
    const { expression, names, values } = difference(known, { ...changed, ...indexKeys(changed) });
    const lease = sameLease ? known.lease_until : undefined;
    try {
      const { Attributes } = await this.#table.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: { id: known.id },
          UpdateExpression: expression,
          ConditionExpression: `#version = :known_version${lease === undefined ? '' : ' AND #lease_until = :known_lease'}`,
          ExpressionAttributeNames: { ...names, ...(lease !== undefined && { '#lease_until': 'lease_until' }) },
          ExpressionAttributeValues: {
            ...values,
            ':known_version': known.version,
            ...(lease !== undefined && { ':known_lease': lease }),
          },
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return { applied: true, job: readJob(Attributes ?? {}) };
    } catch (error) {
      return ownWrite(refusedBy(error), changeId);
    }
  }

  /** Takes a job out of the table that was marked for it. */
  async remove(id: string): Promise<void> {
    await this.#table.send(
      new DeleteCommand({
        TableName: this.#tableName,
        Key: { id },
        ConditionExpression: 'attribute_not_exists(id) OR removing = :true',
        ExpressionAttributeValues: { ':true': true },
      }),
    );
  }

  /**
   * Changes what is no decision (lease, watch mark) while an attempt is the newest and running.
   * @returns the job as it now is, or undefined if the attempt's fence is void.
   */
  async touch(
    fence: Pick<Job, 'id' | 'attempt'>,
    change: { lease_until?: string; watched_until?: string },
  ): Promise<Job | undefined> {
    const entries = Object.entries(change);
    try {
      const { Attributes } = await this.#table.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: { id: fence.id },
          UpdateExpression: `SET ${entries.map(([name]) => `#${name} = :${name}`).join(', ')}`,
          ConditionExpression: '#status = :running AND #attempt = :attempt',
          ExpressionAttributeNames: {
            '#status': 'status',
            '#attempt': 'attempt',
            ...Object.fromEntries(entries.map(([name]) => [`#${name}`, name])),
          },
          ExpressionAttributeValues: {
            ':running': 'RUNNING',
            ':attempt': fence.attempt,
            ...Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
          },
          ReturnValues: 'ALL_NEW',
        }),
      );
      return readJob(Attributes ?? {});
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }
}

/** A name for one decided change. */
export function newChangeId(): string {
  return randomBytes(6).toString('base64url');
}

/**
 * A write that was applied but not answered is refused when the SDK repeats it: its own name in the item tells. A claim
 * is told even after a request to end the job: else its worker would not know that it has to.
 */
function ownWrite(current: Job | undefined, changeId: string): Applied {
  if (current === undefined) return { applied: false, current };
  const isOwn = current.change_id === changeId || (current.claim_id === changeId && current.status === 'RUNNING');
  return isOwn ? { applied: true, job: current } : { applied: false, current };
}

function refusedBy(error: unknown): Job | undefined {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return error.Item && readJob(unmarshall(error.Item));
}

function difference(known: Job, next: Job & Record<string, unknown>) {
  const before: Record<string, unknown> = { ...known, ...indexKeys(known) };
  const after: Record<string, unknown> = next;
  const names: Record<string, string> = { '#version': 'version' };
  const values: Record<string, unknown> = {};
  const set: string[] = [];
  const remove: string[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (name === 'id' || same(before[name], after[name])) continue;
    names[`#${name}`] = name;
    if (after[name] === undefined) {
      remove.push(`#${name}`);
    } else {
      values[`:${name}`] = after[name];
      set.push(`#${name} = :${name}`);
    }
  }
  const expression = `SET ${set.join(', ')}${remove.length > 0 ? ` REMOVE ${remove.join(', ')}` : ''}`;
  return { expression, names, values };
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
