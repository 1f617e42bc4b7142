import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Registry } from '../../platform/registry.ts';

/**
 * Marks a project as hot: its new jobs are spread over several partitions of the ready index, and claims read all of
 * them. It stays so, because a job that waits in such a partition would otherwise be missed.
 * @returns false if it is marked already, or no longer exists
 */
export async function spreadProject(
  { table, registryTable }: Registry,
  projectId: string,
  at: string,
): Promise<boolean> {
  try {
    await table.send(
      new UpdateCommand({
        TableName: registryTable,
        Key: { kind: 'project', id: projectId },
        UpdateExpression: 'SET spread_at = :at',
        ConditionExpression: 'attribute_exists(id) AND attribute_not_exists(spread_at)',
        ExpressionAttributeValues: { ':at': at },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
