import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ApiError } from '../contract/errors.ts';
import type { Registry } from '../platform/registry.ts';
import { untilFirst } from '../platform/until-first.ts';

/** What is set of a project is stored in its item: one read gets it all, and it ends with the project. */
const KIND = 'project';

/** What is set together, each under a version. */
type Part = 'settings' | 'parameters';

/** The key of a project's item. */
export function projectKey(projectId: string): { kind: string; id: string } {
  return { kind: KIND, id: projectId };
}

/** The number of diagrams of a project, by its item. */
export function readDiagramCount(item: Record<string, unknown> | undefined): number {
  return Number(item?.diagrams ?? 0);
}

/** Consistently: what is set applies to every attempt that starts after its change was answered. */
export async function readProjectItem(
  { table, registryTable }: Registry,
  projectId: string,
): Promise<Record<string, unknown> | undefined> {
  const { Item } = await table.send(
    new GetCommand({ TableName: registryTable, Key: projectKey(projectId), ConsistentRead: true }),
  );
  return Item;
}

/**
 * Changes a part of a project's item, which concurrent changes don't undo.
 * @param change from the item to the part's next value
 * @throws ApiError `not_found` if the project does not exist; what `change` throws
 */
export async function changeProjectItem<T extends object>(
  registry: Registry,
  projectId: string,
  part: Part,
  change: (item: Record<string, unknown>) => T,
): Promise<T> {
  return await untilFirst(async () => {
    const item = await readProjectItem(registry, projectId);
    if (item === undefined) throw ApiError.of('not_found');
    const version = Number(item[versionOf(part)] ?? 0);
    const next = change(item);
    return (await write(registry, projectId, { part, next, version })) ? { result: next } : undefined;
  });
}

/** @returns false if another writer was faster */
async function write(
  { table, registryTable }: Registry,
  projectId: string,
  { part, next, version }: { part: Part; next: object; version: number },
): Promise<boolean> {
  try {
    await table.send(
      new UpdateCommand({
        TableName: registryTable,
        Key: projectKey(projectId),
        UpdateExpression: 'SET #part = :next, #version = :version',
        ConditionExpression: 'attribute_exists(id) AND (#version = :known OR attribute_not_exists(#version))',
        ExpressionAttributeNames: { '#part': part, '#version': versionOf(part) },
        ExpressionAttributeValues: { ':next': next, ':version': version + 1, ':known': version },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

function versionOf(part: Part): string {
  return `${part}_version`;
}
