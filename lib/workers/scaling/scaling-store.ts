import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { SCALING_KIND } from '../../platform/aws/tables.ts';
import type { Registry } from '../../platform/registry.ts';
import { type Scaling, scalingSchema } from './launches.ts';

const KEY = { kind: SCALING_KIND, id: 'workers' } as const;

/** How often a change is repeated because another writer was faster. */
const MAX_ATTEMPTS = 10;

/** The state of launches: one item, changed on condition that it is unchanged since it was read. */
export class ScalingStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: Registry) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  async read(options: { consistent: boolean } = { consistent: true }): Promise<Scaling> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: KEY, ConsistentRead: options.consistent }),
    );
    return scalingSchema.parse(Item ?? {});
  }

  /** Replaces `known` with `next`. @returns what was written; undefined if another writer was faster. */
  async replace(known: Scaling, next: Scaling): Promise<Scaling | undefined> {
    const written = { ...next, version: known.version + 1 };
    try {
      await this.#table.send(
        new PutCommand({
          TableName: this.#tableName,
          Item: { ...KEY, ...written },
          ConditionExpression: known.version === 0 ? 'attribute_not_exists(id)' : '#version = :known',
          ...(known.version > 0 && {
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':known': known.version },
          }),
        }),
      );
      return written;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
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
}
