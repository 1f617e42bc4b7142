import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { queriedItems } from '../platform/aws/queried-items.ts';
import type { Registry } from '../platform/registry.ts';
import { projectIdOf } from '../projects/projects.ts';
import { bindingSchema, type DeployBinding } from './deploy-binding.ts';

const KIND = 'binding';

/** The id of a project's binding with this name. Project ids have no dot, so no project's prefix matches another's. */
export function bindingIdOf(projectId: string, name: string): string {
  return `${projectId}.${projectIdOf(name)}`;
}

/** Deploy bindings, in one partition by project and name. */
export class DeployBindingStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: Registry) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  async get(id: string): Promise<DeployBinding | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id }, ConsistentRead: true }),
    );
    return Item && bindingSchema.parse(Item);
  }

  /** The bindings of one project, or all. Reads are consistent. */
  async list(projectId?: string): Promise<DeployBinding[]> {
    const found: DeployBinding[] = [];
    const items = queriedItems(this.#table, {
      TableName: this.#tableName,
      KeyConditionExpression: `kind = :kind${projectId === undefined ? '' : ' AND begins_with(id, :prefix)'}`,
      ExpressionAttributeValues: {
        ':kind': KIND,
        ...(projectId !== undefined && { ':prefix': `${projectId}.` }),
      },
      ConsistentRead: true,
    });
    for await (const item of items) found.push(bindingSchema.parse(item));
    return found;
  }

  /** Replaces `known` with `next`. @returns the stored binding; undefined on a conflict. */
  async replace(
    known: DeployBinding | undefined,
    next: Omit<DeployBinding, 'version' | 'change_id'>,
  ): Promise<DeployBinding | undefined> {
    const change_id = randomBytes(6).toString('base64url');
    const written: DeployBinding = { ...next, version: (known?.version ?? 0) + 1, change_id };
    const isDone = await ifUnchanged(async () => {
      await this.#table.send(
        new PutCommand({ TableName: this.#tableName, Item: { kind: KIND, ...written }, ...conditionOn(known) }),
      );
    });
    // When the SDK repeats a write that was applied but not answered, the condition fails.
    return isDone || (await this.get(next.id))?.change_id === change_id ? written : undefined;
  }

  /** @returns false on a conflict. */
  async delete(known: DeployBinding): Promise<boolean> {
    return await ifUnchanged(async () => {
      await this.#table.send(
        new DeleteCommand({ TableName: this.#tableName, Key: { kind: KIND, id: known.id }, ...conditionOn(known) }),
      );
    });
  }
}

function conditionOn(known: DeployBinding | undefined) {
  if (known === undefined) return { ConditionExpression: 'attribute_not_exists(id)' };
  return {
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': known.version },
  };
}

async function ifUnchanged(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
