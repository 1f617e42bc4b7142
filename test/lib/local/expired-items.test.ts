import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { removeExpiredItems } from '../../../lib/local/expired-items.ts';
import { emulateDeployment } from '../../emulated-deployment.ts';

test('what has expired is removed, as DynamoDB does by itself', async () => {
  const { table, env, stop } = await emulateDeployment();
  const now = Math.floor(Date.now() / 1000);
  for (const [id, expires] of [
    ['past', now - 10],
    ['future', now + 1_000],
    ['never', undefined],
  ] as const)
    await table.send(
      new PutCommand({ TableName: env.REGISTRY_TABLE, Item: { kind: 'x', id, expires_at_epoch: expires } }),
    );
  await removeExpiredItems(table, env.REGISTRY_TABLE);
  const { Items = [] } = await table.send(new ScanCommand({ TableName: env.REGISTRY_TABLE }));
  expect(Items.map(({ id }) => id).toSorted()).toEqual(['future', 'never']);
  await stop();
});
