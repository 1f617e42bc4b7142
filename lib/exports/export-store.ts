import { randomBytes, randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { ApiError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { ExportCreation } from '../contract/schemas/exports.ts';
import { encodeId } from '../jobs/lifecycle/job-id.ts';
import { queriedItems } from '../platform/aws/queried-items.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { EXPORT_KIND } from '../platform/aws/tables.ts';
import type { Registry } from '../platform/registry.ts';
import { type ExportRecord, exportRecordSchema, isOpen, newRecord } from './export-record.ts';

const ID_PREFIX = 'exp_';
/** The item that every new export changes, so that concurrent ones can't pass a limit together. It sorts before all. */
const BOOKS = '#books';
/** Requests for an export at the same time that one of them outlives. */
const TRIES = 8;

/** The exports: one partition of the Registry. */
export class ExportStore {
  readonly #registry: Registry;
  readonly #clock: Clock;

  constructor(options: Registry & { readonly clock: Clock }) {
    this.#registry = options;
    this.#clock = options.clock;
  }

  /** All exports, newest first, as of the last acknowledged write. */
  async list(): Promise<ExportRecord[]> {
    const records = await this.#all();
    return records.filter((record) => !this.isExpired(record)).toSorted((a, b) => newestFirst(a, b));
  }

  /** Exports whose time is over and that are still there. */
  async expired(): Promise<ExportRecord[]> {
    return (await this.#all()).filter((record) => this.isExpired(record));
  }

  async #all(): Promise<ExportRecord[]> {
    const found: ExportRecord[] = [];
    const query = {
      TableName: this.#registry.registryTable,
      KeyConditionExpression: 'kind = :kind AND begins_with(id, :prefix)',
      ExpressionAttributeValues: { ':kind': EXPORT_KIND, ':prefix': ID_PREFIX },
      ConsistentRead: true,
    };
    for await (const item of queriedItems(this.#registry.table, query)) found.push(exportRecordSchema.parse(item));
    return found;
  }

  /** undefined: there is none, or it has expired. */
  async get(id: string): Promise<ExportRecord | undefined> {
    const record = await this.#read(id);
    return record === undefined || this.isExpired(record) ? undefined : record;
  }

  /** Whether its time is over; DynamoDB removes it some time later. */
  isExpired({ expires_at_epoch }: Pick<ExportRecord, 'expires_at_epoch'>): boolean {
    return expires_at_epoch * 1000 <= this.#clock.now();
  }

  /** @throws ApiError `invalid_state` beyond the limits; `unavailable` if too many others were faster */
  async create(request: ExportCreation, createdBy: string): Promise<ExportRecord> {
    for (let left = TRIES; left > 0; left -= 1) {
      const count = await this.#count();
      requireRoom(await this.list());
      const id = encodeId('exp', randomBytes(26));
      const record = newRecord(request, { id, createdBy, now: this.#clock.now(), change: randomUUID() });
      if (await this.#put(record, count)) return record;
    }
    throw ApiError.of('unavailable', undefined, 1);
  }

  /**
   * Replaces an export unless it has changed since it was read.
   * @returns it as it is now; undefined: it was changed or deleted
   */
  async replace(known: ExportRecord, changes: Partial<ExportRecord>): Promise<ExportRecord | undefined> {
    const record = { ...known, ...changes, change: randomUUID() };
    try {
      await this.#registry.table.send(
        new PutCommand({
          TableName: this.#registry.registryTable,
          Item: { kind: EXPORT_KIND, ...record },
          ConditionExpression: 'change = :known',
          ExpressionAttributeValues: { ':known': known.change },
        }),
      );
      return record;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // When the SDK repeats a write that was applied but not answered, the condition fails.
      return (await this.#read(known.id))?.change === record.change ? record : undefined;
    }
  }

  /** @returns the export as it was; undefined: there is none */
  async remove(id: string): Promise<ExportRecord | undefined> {
    const record = await this.get(id);
    await this.#registry.table.send(
      new DeleteCommand({ TableName: this.#registry.registryTable, Key: { kind: EXPORT_KIND, id } }),
    );
    return record;
  }

  async #read(id: string): Promise<ExportRecord | undefined> {
    if (!id.startsWith(ID_PREFIX)) return undefined;
    const { Item } = await this.#registry.table.send(
      new GetCommand({ TableName: this.#registry.registryTable, Key: { kind: EXPORT_KIND, id }, ConsistentRead: true }),
    );
    return Item && exportRecordSchema.parse(Item);
  }

  async #count(): Promise<number> {
    const Key = { kind: EXPORT_KIND, id: BOOKS };
    const { Item } = await this.#registry.table.send(
      new GetCommand({ TableName: this.#registry.registryTable, Key, ConsistentRead: true }),
    );
    return typeof Item?.count === 'number' ? Item.count : 0;
  }

  /** @returns whether no other export came since the books were read */
  async #put(record: ExportRecord, count: number): Promise<boolean> {
    const TableName = this.#registry.registryTable;
    const isSame = count === 0 ? 'attribute_not_exists(id)' : '#count = :count';
    const books = {
      TableName,
      Item: { kind: EXPORT_KIND, id: BOOKS, count: count + 1 },
      ConditionExpression: isSame,
      ...(count > 0 && {
        ExpressionAttributeNames: { '#count': 'count' },
        ExpressionAttributeValues: { ':count': count },
      }),
    };
    const put = { TableName, Item: { kind: EXPORT_KIND, ...record }, ConditionExpression: 'attribute_not_exists(id)' };
    try {
      await this.#registry.table.send(new TransactWriteCommand({ TransactItems: [{ Put: put }, { Put: books }] }));
      return true;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      return (await this.#read(record.id))?.change === record.change;
    }
  }
}

function newestFirst(a: ExportRecord, b: ExportRecord): number {
  const [one, other] = [a, b].map(({ created_at, id }) => `${created_at}#${id}`);
  return (one ?? '') < (other ?? '') ? 1 : -1;
}

/** @throws ApiError `invalid_state` */
function requireRoom(records: readonly ExportRecord[]): void {
  const { running, kept } = LIMITS.exports;
  const open = records.filter(isOpen).length;
  if (open >= running)
    throw ApiError.because(
      'invalid_state',
      `${open} exports run already, the most that may; wait for one, or delete one`,
    );
  if (records.length >= kept)
    throw ApiError.because(
      'invalid_state',
      `${records.length} exports are kept already, the most that may be; delete one`,
    );
}
