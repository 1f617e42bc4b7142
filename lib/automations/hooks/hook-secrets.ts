import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { HOOK_SECRET_KIND } from '../../platform/aws/tables.ts';
import type { Registry } from '../../platform/registry.ts';

const KIND = HOOK_SECRET_KIND;

const itemSchema = z.object({ secret: z.string() });

/** The automation that it is of. `made`: tells it from an earlier one of its name. */
interface Named {
  readonly id: string;
  readonly made: string;
}

/** The secrets of hooks. Only the function that receives deliveries may read them. */
export class HookSecretStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: Registry) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  async put(automation: Named, secret: string): Promise<void> {
    await this.#table.send(new PutCommand({ TableName: this.#tableName, Item: { ...keyOf(automation), secret } }));
  }

  /** @returns false if there is one */
  async add(automation: Named, secret: string): Promise<boolean> {
    const Item = { ...keyOf(automation), secret };
    const put = new PutCommand({
      TableName: this.#tableName,
      Item,
      ConditionExpression: 'attribute_not_exists(id) OR secret = :secret',
      ExpressionAttributeValues: { ':secret': secret },
    });
    try {
      await this.#table.send(put);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async get(automation: Named): Promise<string | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: keyOf(automation), ConsistentRead: true }),
    );
    return Item && itemSchema.parse(Item).secret;
  }

  async delete(automation: Named): Promise<void> {
    await this.#table.send(new DeleteCommand({ TableName: this.#tableName, Key: keyOf(automation) }));
  }
}

/** A later automation of the same name has another secret. */
function keyOf({ id, made }: Named) {
  return { kind: KIND, id: `${id}#${made}` };
}
