import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { WorkerSignals } from '../../live/worker-signals.ts';
import { batchGet } from '../../platform/aws/batch-get.ts';
import { besideTransactions } from '../../platform/beside-transactions.ts';
import { indexKeys } from '../indexes/index-keys.ts';
import type { Job } from '../lifecycle/job.ts';
import { NewerSchemaError } from '../lifecycle/newer-schema.ts';
import type { Progress } from '../receipts/progress.ts';
import { readJob } from './read-job.ts';

const log = new Logger({ serviceName: 'promptq-jobs' });

/** The result of a conditional write: applied, or the current job if another writer was faster. */
export type Applied =
  | { readonly applied: true; readonly job: Job }
  | { readonly applied: false; readonly current: Job | undefined };

/** The jobs table: the source of truth about every job. */
export class JobStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #signals: Pick<WorkerSignals, 'raise'> | undefined;

  /** @param signals tell workers of changes of the jobs that they run; default: their heartbeats find them */
  constructor(table: DynamoDBDocumentClient, tableName: string, signals?: Pick<WorkerSignals, 'raise'>) {
    this.#table = table;
    this.#tableName = tableName;
    this.#signals = signals;
  }

  /** `consistent`: sees every acknowledged write. @throws NewerSchemaError */
  async get(id: string, options: { consistent: boolean }): Promise<Job | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { id }, ConsistentRead: options.consistent }),
    );
    return Item && readJob(Item);
  }

  /** The current job, read consistently; `newer`: only a later version can read it. */
  async find(id: string): Promise<Job | 'newer' | undefined> {
    try {
      return await this.get(id, { consistent: true });
    } catch (error) {
      return newerOrThrow(error);
    }
  }

  /** The current jobs by id, as `find` reads one; those that don't exist are absent. */
  async findAll(ids: readonly string[]): Promise<ReadonlyMap<string, Job | 'newer'>> {
    const keys = ids.map((id) => ({ id }));
    const items = await batchGet(this.#table, this.#tableName, keys, { consistent: true });
    return new Map(items.map((item) => [String(item.id), readOrNewer(item)]));
  }

  /** Those of the jobs that run without a valid lease, or whose items this version can't judge. */
  async expiredLeases(ids: readonly string[], now: string): Promise<string[]> {
    const keys = ids.map((id) => ({ id }));
    const items = await batchGet(this.#table, this.#tableName, keys, { consistent: true });
    const isValid = ({ lease_until: until }: Record<string, unknown>) => typeof until === 'string' && until >= now;
    return items.filter((item) => !isValid(item)).map((item) => String(item.id));
  }

  /** Stores a new job unless its id is taken; then returns the job that has it. */
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

  /** `create`, with a conditional put beside it: both are stored, or neither. @returns undefined if only the put failed */
  async createWith(job: Job, put: PutCommandInput): Promise<Applied | undefined> {
    const create = { TableName: this.#tableName, Item: { ...job, ...indexKeys(job) } };
    const isNew = { ConditionExpression: 'attribute_not_exists(id)' };
    try {
      await this.#table.send(
        new TransactWriteCommand({ TransactItems: [{ Put: { ...create, ...isNew } }, { Put: put }] }),
      );
      return { applied: true, job };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const current = await this.get(job.id, { consistent: true });
      return current && ownWrite(current, job.change_id);
    }
  }

  /**
   * Replaces `known` with `next` if the job still has the version that was decided on. Writes only what differs, so
   * that a concurrent heartbeat is kept.
   * @param options.sameLease also requires that no heartbeat came in between: the decision assumed none
   */
  async apply(known: Job, next: Job, { sameLease = false }: { sameLease?: boolean } = {}): Promise<Applied> {
    const { changeId, update } = this.#replacement(known, next, sameLease);
    try {
      const returned = { ReturnValues: 'ALL_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
      const { Attributes } = await this.#update({ ...update, ...returned });
      const job = readJob(Attributes ?? {});
      await this.#tellWorker(known, job);
      return { applied: true, job };
    } catch (error) {
      return ownWrite(refusedBy(error), changeId);
    }
  }

  /** `apply`, with a conditional put beside it, or a new version of another job: both are written, or neither. */
  async applyWith(known: Job, next: Job, beside: PutCommandInput | { readonly other: Job }): Promise<Applied> {
    const { changeId, update, changed } = this.#replacement(known, next, false);
    const item =
      'other' in beside ? { Update: this.#replacement(beside.other, beside.other, false).update } : { Put: beside };
    try {
      await this.#table.send(new TransactWriteCommand({ TransactItems: [item, { Update: update }] }));
      await this.#tellWorker(known, changed);
      return { applied: true, job: changed };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      return ownWrite(await this.get(known.id, { consistent: true }), changeId);
    }
  }

  /** Raises the signal of the worker that runs the job. The change itself is stored. */
  async #tellWorker(before: Job, { id, status, worker_id: workerId }: Job): Promise<void> {
    if (before.status !== 'RUNNING' || status !== 'RUNNING' || workerId === undefined) return;
    await this.#signals?.raise(workerId, id).catch((error: Error) => log.warn('the worker was not told', error));
  }

  #replacement(known: Job, next: Job, sameLease: boolean) {
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
    const update = {
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
    };
    return { changeId, update, changed };
  }

  async #update(input: UpdateCommandInput): Promise<UpdateCommandOutput> {
    return await besideTransactions(() => this.#table.send(new UpdateCommand(input)));
  }

  /** Removes a job that was marked for removal. */
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

  /** Tells the worker of an attempt that a client reads its output. @param until RFC 3339 */
  async watch(job: Job, until: string): Promise<void> {
    const touched = await this.touch(job, { watched_until: until });
    if (touched !== undefined) await this.#tellWorker(job, touched);
  }

  /**
   * Changes what no decision depends on (lease, watch mark, progress) while an attempt is the newest and running, and marks the
   * item as `touched`, so that the change is not counted (`stream-filter.ts`).
   * @returns the updated job, or undefined if the attempt's fence is no longer valid
   */
  async touch(
    fence: Pick<Job, 'id' | 'attempt'>,
    change: { lease_until?: string; watched_until?: string; progress?: Progress },
  ): Promise<Job | undefined> {
    const entries = Object.entries({ ...change, touched: true });
    try {
      const { Attributes } = await this.#update({
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
      });
      return readJob(Attributes ?? {});
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }
}

function readOrNewer(item: Readonly<Record<string, unknown>>): Job | 'newer' {
  try {
    return readJob(item);
  } catch (error) {
    return newerOrThrow(error);
  }
}

function newerOrThrow(error: unknown): 'newer' {
  if (error instanceof NewerSchemaError) return 'newer';
  throw error;
}

/** A name for one decided change. */
export function newChangeId(): string {
  return randomBytes(6).toString('base64url');
}

/**
 * When the SDK repeats a write that was applied but not answered, the condition fails: the change's own name in the
 * item shows that it was applied. A claim is recognised even after a later cancel or kill, because its worker must know
 * about it.
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
  // Set by heartbeats, of which `known` may have missed the last.
  const remove = ['touched', ...(next.status === 'RUNNING' ? [] : ['progress'])];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (name === 'progress' || same(before[name], after[name])) continue;
    names[`#${name}`] = name;
    if (after[name] === undefined) {
      remove.push(`#${name}`);
    } else {
      values[`:${name}`] = after[name];
      set.push(`#${name} = :${name}`);
    }
  }
  return { expression: `SET ${set.join(', ')} REMOVE ${remove.join(', ')}`, names, values };
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
