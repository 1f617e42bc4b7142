import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import { SCALING_KIND } from '../../platform/aws/tables.ts';
import { eventRow } from '../../platform/event-rows.ts';
import type { Registry } from '../../platform/registry.ts';
import { type Launch, launchSchema, type Scaling, scalingSchema } from './launches.ts';

const KEY = { kind: SCALING_KIND, id: 'workers' } as const;

/** Ids of the items of launches: this prefix and the token. */
const LAUNCH = 'launch#';

/** How often a change is repeated because another writer was faster. */
const MAX_ATTEMPTS = 10;

/** DynamoDB's limit of items in one transaction is 100, one of which is the state. */
const LAUNCHES_PER_WRITE = 99;

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * The state of launches: one item for the state, and one for each launch. They change together, on condition that the
 * state is unchanged since it was read.
 */
export class ScalingStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /**
   * The state with all launches. The launches are read after the state: if a write came in between, the state's version
   * is the older one, and a decision about it can't be written.
   */
  async read(): Promise<Scaling> {
    const { table, registryTable } = this.#registry;
    const state = await this.#state({ consistent: true });
    const launches: Launch[] = [];
    const items = queriedItems(table, {
      TableName: registryTable,
      KeyConditionExpression: 'kind = :kind AND begins_with(id, :launch)',
      ExpressionAttributeValues: { ':kind': SCALING_KIND, ':launch': LAUNCH },
      ConsistentRead: true,
    });
    for await (const item of items) launches.push(launchSchema.parse(item));
    return { ...state, launches: launches.toSorted(byTime) };
  }

  /** The state without launches, as of a moment ago. */
  async readState(): Promise<Omit<Scaling, 'launches'>> {
    return await this.#state({ consistent: false });
  }

  async #state({ consistent }: { consistent: boolean }): Promise<Scaling> {
    const { table, registryTable } = this.#registry;
    const { Item } = await table.send(
      new GetCommand({ TableName: registryTable, Key: KEY, ConsistentRead: consistent }),
    );
    return scalingSchema.parse(Item ?? {});
  }

  /**
   * Replaces `known` with `next`. More launches than one transaction holds are written in several: if another writer
   * comes in between, those that were written are repeated by a later decision, as launches without an answer are.
   * @returns what was written; undefined if another writer was faster
   */
  async replace(known: Scaling, next: Scaling): Promise<Scaling | undefined> {
    const changes = [...this.#changes(known, next), ...this.#events(known, next)];
    let { version } = known;
    do {
      const isWritten = await this.#write({ ...next, version }, changes.splice(0, LAUNCHES_PER_WRITE));
      if (!isWritten) return undefined;
      version += 1;
    } while (changes.length > 0);
    return { ...next, version };
  }

  /** @throws Error if other writers are faster every time */
  async change(update: (scaling: Scaling) => Scaling): Promise<Scaling> {
    for (let round = 0; round < MAX_ATTEMPTS; round += 1) {
      const known = await this.read();
      const next = update(known);
      if (next === known) return known;
      const written = await this.replace(known, next);
      if (written !== undefined) return written;
    }
    throw new Error('the state of launches could not be written: another writer was faster every time');
  }

  /** The writes that turn the items of the known launches into those of the next ones. */
  #changes(known: Scaling, next: Scaling): TransactItem[] {
    const TableName = this.#registry.registryTable;
    const before = new Map(known.launches.map((one) => [one.token, one]));
    const left = new Set(next.launches.map(({ token }) => token));
    const put = next.launches.filter((one) => JSON.stringify(before.get(one.token)) !== JSON.stringify(one));
    const gone = [...before.keys()].filter((token) => !left.has(token));
    return [
      ...gone.map((token) => ({ Delete: { TableName, Key: keyOf(token) } })),
      ...put.map((launch) => ({ Put: { TableName, Item: { ...keyOf(launch.token), ...launch } } })),
    ];
  }

  /** A failed launch is an event. It is written last: what is written before it may be decided again. */
  #events({ failure: before, version }: Scaling, { failure }: Scaling): TransactItem[] {
    if (failure === undefined || failure.times <= (before?.times ?? 0)) return [];
    const { times, at: time, reason: why, provider } = failure;
    const subject = { kind: 'worker', id: provider, name: provider, why } as const;
    return [eventRow(this.#registry, `${version}#${times}`, { type: 'worker.launch_failed', time, subject })];
  }

  /** @param state with the version that the table must have @returns whether it was written */
  async #write({ launches: _launches, ...state }: Scaling, changes: readonly TransactItem[]): Promise<boolean> {
    const { table, registryTable } = this.#registry;
    const Put = {
      TableName: registryTable,
      Item: { ...KEY, ...state, version: state.version + 1 },
      ConditionExpression: state.version === 0 ? 'attribute_not_exists(id)' : '#version = :known',
      ...(state.version > 0 && {
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':known': state.version },
      }),
    };
    try {
      if (changes.length === 0) await table.send(new PutCommand(Put));
      else await table.send(new TransactWriteCommand({ TransactItems: [{ Put }, ...changes] }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      // A put that meets the transaction of another writer. The SDK does not try it again.
      if (error instanceof TransactionConflictException) return false;
      if (error instanceof TransactionCanceledException && error.CancellationReasons?.some(isFaster)) return false;
      throw error;
    }
  }
}

function keyOf(token: string) {
  return { kind: SCALING_KIND, id: `${LAUNCH}${token}` };
}

function byTime(a: Launch, b: Launch): number {
  return a.at.localeCompare(b.at) || a.token.localeCompare(b.token);
}

function isFaster({ Code }: { readonly Code?: string | undefined }): boolean {
  return Code === 'ConditionalCheckFailed' || Code === 'TransactionConflict';
}
