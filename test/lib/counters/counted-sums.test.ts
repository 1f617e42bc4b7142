import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Addition, addOnce, checkpointIn } from '../../../lib/counters/counted-sums.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const MINUTE = 60_000;
const shardOf = (opened: number) => `shardId-${String(opened).padStart(20, '0')}-abcdef01`;
const key = (id: string) => ({ kind: 'day-figures', id });
/** @returns the item as it then is */
const add = async (id: string, additions: readonly Addition[], shard = 'shard') => {
  const { table, registryTable } = deployment.registry;
  await addOnce(deployment.registry, key(id), { shard, additions });
  return (await table.send(new GetCommand({ TableName: registryTable, Key: key(id), ConsistentRead: true }))).Item;
};

it('the time of the last change of a state is stored, also by a record that adds no number', async () => {
  const [one, two] = ['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z'];
  const first = await add('active', [
    { sequence: '2', add: { t_in: 4 } },
    { sequence: '1', add: { t_in: 3 }, activeAt: one },
  ]);
  expect(first).toMatchObject({ t_in: 7, active_at: one });
  expect(await add('active', [{ sequence: '3', add: {}, activeAt: two }])).toMatchObject({ t_in: 7, active_at: two });
  const last = await add('active', [{ sequence: '4', add: { t_in: -7, t_out: 1 } }]);
  expect(last).toMatchObject({ t_in: 0, t_out: 1, active_at: two });
});

it('only the records after the checkpoint are added', async () => {
  const additions = ['8', '9', '010'].map((sequence) => ({ sequence, add: { n: 1 } }));
  expect(await add('again', additions.slice(0, 2))).toMatchObject({ n: 2 });
  const item = await add('again', additions);
  expect(item).toMatchObject({ n: 3 });
  expect([checkpointIn(item ?? {}, 'shard'), checkpointIn(item ?? {}, 'other')]).toEqual(['10', undefined]);
  // As earlier versions wrote it: the number of digits, then the digits.
  expect(Object.entries(item ?? {}).filter(([name]) => name.startsWith('c_'))).toEqual([[expect.any(String), '0210']]);
  expect(await add('again', additions)).toEqual(item);
  expect(await add('again', [])).toEqual(item);
});

it('checkpoints are forgotten once their shard opened more than two days before the one that is counted', async () => {
  const start = Date.parse('2026-11-20T00:00:00.000Z');
  const older = ['named by no time', shardOf(start), shardOf(start + MINUTE), shardOf(start + 1_440 * MINUTE)];
  for (const shard of older) await add('shards', [{ sequence: '1', add: { n: 1 } }], shard);
  const now = shardOf(start + MINUTE + 2 * 1_440 * MINUTE);
  await add('shards', [{ sequence: '1', add: { n: 1 } }], now);
  const item = (await add('shards', [{ sequence: '2', add: { n: 1 } }], now)) ?? {};
  expect([...older, now].map((shard) => checkpointIn(item, shard))).toEqual(['1', undefined, '1', '1', '2']);
  expect(item).toMatchObject({ n: 6 });
});

it.each([
  new Error('out of reach'),
  new ConditionalCheckFailedException({ $metadata: {}, message: 'without the item' }),
])('a write that fails is no addition: %s', async (error) => {
  const table = { send: () => Promise.reject(error) } as unknown as DynamoDBDocumentClient;
  const additions = [{ sequence: '1', add: { n: 1 } }];
  const added = addOnce({ ...deployment.registry, table }, key('failed'), { shard: 'shard', additions });
  await expect(added).rejects.toBe(error);
});
