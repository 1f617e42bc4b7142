import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand, type TransactWriteCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { LIMITS } from '../contract/limits.ts';
import { diagramName } from '../contract/schemas/diagram.ts';
import { queriedItems } from '../platform/aws/queried-items.ts';
import type { Registry } from '../platform/registry.ts';
import { projectKey } from '../projects/project-item.ts';

const KIND = 'diagram';

const summarySchema = z.object({
  project_id: z.string(),
  project: z.string(),
  name: diagramName,
  bytes: z.number(),
  source_job: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type DiagramSummary = z.output<typeof summarySchema>;

const diagramSchema = summarySchema.extend({ text: z.string() });
export type Diagram = z.output<typeof diagramSchema>;

/** Attributes of a summary. Some of the names are reserved words of DynamoDB. */
const SUMMARY = Object.keys(summarySchema.shape);

/** Project ids have no dot, so no project's prefix matches another's. */
function keyOf(projectId: string, name: string): { kind: string; id: string } {
  return { kind: KIND, id: `${projectId}.${name}` };
}

/**
 * Diagrams, in one partition by project and name. The project's item counts its diagrams: what reads the settings of a
 * project learns without a further request whether there are any, a project with diagrams can't be deleted, and the
 * limit holds for concurrent writers too.
 */
export class DiagramStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async get(projectId: string, name: string): Promise<Diagram | undefined> {
    const { table, registryTable } = this.#registry;
    const { Item } = await table.send(
      new GetCommand({ TableName: registryTable, Key: keyOf(projectId, name), ConsistentRead: true }),
    );
    return Item && diagramSchema.parse(Item);
  }

  /** The diagrams of a project without their texts, by name. */
  async list(projectId: string): Promise<DiagramSummary[]> {
    const found: DiagramSummary[] = [];
    const only = {
      ProjectionExpression: SUMMARY.map((name) => `#${name}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(SUMMARY.map((name) => [`#${name}`, name])),
    };
    for await (const item of this.#items(projectId, only)) found.push(summarySchema.parse(item));
    return found;
  }

  /** The diagrams of a project with their texts, by name. */
  async *withTexts(projectId: string): AsyncGenerator<Diagram> {
    for await (const item of this.#items(projectId, {})) yield diagramSchema.parse(item);
  }

  /** @returns false if it exists by now, or its project has no room or no longer exists */
  async create(diagram: Diagram): Promise<boolean> {
    const { registryTable: TableName } = this.#registry;
    const Item = { ...keyOf(diagram.project_id, diagram.name), ...diagram };
    return await this.#transact([
      { Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(id)' } },
      this.#count(diagram.project_id, 1, 'attribute_not_exists(diagrams) OR diagrams < :most', {
        ':most': LIMITS.diagrams.perProject,
      }),
    ]);
  }

  /** @returns the diagram as it is now; undefined if there is none */
  async replace(
    { project_id, name }: Pick<Diagram, 'project_id' | 'name'>,
    next: Pick<Diagram, 'text' | 'bytes' | 'updated_at'> & Partial<Pick<Diagram, 'source_job'>>,
  ): Promise<Diagram | undefined> {
    const given = Object.entries(next).filter(([, value]) => value !== undefined);
    const { table, registryTable } = this.#registry;
    try {
      const { Attributes } = await table.send(
        new UpdateCommand({
          TableName: registryTable,
          Key: keyOf(project_id, name),
          UpdateExpression: `SET ${given.map(([attribute]) => `#${attribute} = :${attribute}`).join(', ')}`,
          ConditionExpression: 'attribute_exists(id)',
          ExpressionAttributeNames: Object.fromEntries(given.map(([attribute]) => [`#${attribute}`, attribute])),
          ExpressionAttributeValues: Object.fromEntries(given.map(([attribute, value]) => [`:${attribute}`, value])),
          ReturnValues: 'ALL_NEW',
        }),
      );
      return diagramSchema.parse(Attributes);
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }

  /** @returns false if it no longer exists */
  async delete({ project_id, name }: Pick<Diagram, 'project_id' | 'name'>): Promise<boolean> {
    const { registryTable: TableName } = this.#registry;
    const ConditionExpression = 'attribute_exists(id)';
    return await this.#transact([
      { Delete: { TableName, Key: keyOf(project_id, name), ConditionExpression } },
      this.#count(project_id, -1, 'diagrams > :none', { ':none': 0 }),
    ]);
  }

  #items(projectId: string, only: object) {
    const { table, registryTable } = this.#registry;
    return queriedItems(table, {
      ...only,
      TableName: registryTable,
      KeyConditionExpression: 'kind = :kind AND begins_with(id, :prefix)',
      ExpressionAttributeValues: { ':kind': KIND, ':prefix': `${projectId}.` },
      ConsistentRead: true,
    });
  }

  #count(projectId: string, added: number, condition: string, values: Record<string, number>): TransactItem {
    return {
      Update: {
        TableName: this.#registry.registryTable,
        Key: projectKey(projectId),
        UpdateExpression: 'ADD diagrams :added',
        ConditionExpression: `attribute_exists(id) AND (${condition})`,
        ExpressionAttributeValues: { ':added': added, ...values },
      },
    };
  }

  /** @returns false if a condition failed or another transaction was faster */
  async #transact(TransactItems: TransactItem[]): Promise<boolean> {
    try {
      await this.#registry.table.send(new TransactWriteCommand({ TransactItems }));
      return true;
    } catch (error) {
      if (error instanceof TransactionCanceledException && error.CancellationReasons?.some(isOvertaken)) return false;
      throw error;
    }
  }
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

function isOvertaken({ Code }: { Code?: string | undefined }): boolean {
  return Code === 'ConditionalCheckFailed' || Code === 'TransactionConflict';
}
