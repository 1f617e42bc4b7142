import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from './aws/table-clock.ts';
import { timestamp } from './aws/table-clock.ts';
import type { Registry } from './registry.ts';

const KIND = 'lock';

/** Milliseconds: a lock's lifetime without renewal, and the interval of renewals. */
export const LOCK = { duration: 30_000, renewEvery: 10_000 } as const;

/**
 * Locks between workers. They are in the table because a shared file system does not release a dead holder's lock
 * safely. A dead holder's lock expires after half a minute of the table's time.
 */
export class SharedLocks {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;
  readonly #kind: string;

  /** @param options.kind of the Registry's items; each kind is a separate set of locks */
  constructor(options: Registry & { clock: Clock; kind?: string }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
    this.#kind = options.kind ?? KIND;
  }

  /** Acquires a lock, or renews it for its holder. @returns whether the holder has it now. */
  async take(id: string, holder: string, milliseconds: number = LOCK.duration): Promise<boolean> {
    const now = this.#clock.now();
    return await this.#conditionally(
      new PutCommand({
        TableName: this.#tableName,
        Item: {
          kind: this.#kind,
          id,
          holder,
          held_until: timestamp(now + milliseconds),
          expires_at_epoch: Math.ceil((now + milliseconds) / 1000) + 86_400,
        },
        ConditionExpression: 'attribute_not_exists(id) OR holder = :holder OR held_until < :now',
        ExpressionAttributeValues: { ':holder': holder, ':now': timestamp(now) },
      }),
    );
  }

  async release(id: string, holder: string): Promise<void> {
    await this.#conditionally(
      new DeleteCommand({
        TableName: this.#tableName,
        Key: { kind: this.#kind, id },
        ConditionExpression: 'holder = :holder',
        ExpressionAttributeValues: { ':holder': holder },
      }),
    );
  }

  async #conditionally(command: PutCommand | DeleteCommand): Promise<boolean> {
    try {
      await (command instanceof PutCommand ? this.#table.send(command) : this.#table.send(command));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}
