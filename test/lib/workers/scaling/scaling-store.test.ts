import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Launch, scalingSchema } from '../../../../lib/workers/scaling/launches.ts';
import { ScalingStore } from '../../../../lib/workers/scaling/scaling-store.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
let store: ScalingStore;
beforeEach(async () => {
  deployment = await emulateDeployment();
  store = new ScalingStore(deployment.registry);
});
afterEach(async () => await deployment.stop());

const launch = (n: number): Launch => ({
  token: `token-${n}`,
  provider: 'FARGATE',
  count: 10,
  build: 'worker:1',
  at: new Date(Date.UTC(2026, 10, 20, 10, 0, 0, n)).toISOString(),
});
const launches = (count: number) => Array.from({ length: count }, (_, n) => launch(n));

/** The stored items of the kind. */
async function items(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await deployment.table.send(
    new QueryCommand({
      TableName: deployment.env.REGISTRY_TABLE,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': 'scaling' },
    }),
  );
  return Items;
}

it('each launch is an item, and only what changes is written', async () => {
  await store.change((known) => ({ ...known, wanted: 'worker:1', launches: launches(3) }));
  expect(new Set((await items()).map(({ id }) => id))).toEqual(
    new Set(['workers', 'launch#token-0', 'launch#token-1', 'launch#token-2']),
  );
  await store.change((known) => ({
    ...known,
    launches: known.launches.slice(1).map((one, at) => (at === 0 ? { ...one, tasks: ['a'] } : one)),
  }));
  const after = await new ScalingStore(deployment.registry).read();
  expect(after).toMatchObject({ version: 2, wanted: 'worker:1' });
  expect(after.launches).toEqual([{ ...launch(1), tasks: ['a'] }, launch(2)]);
  expect(await store.readState()).toMatchObject({ version: 2, launches: [] });
});

it('hundreds of launches are stored, and forgotten', async () => {
  await store.change((known) => ({ ...known, launches: launches(250) }));
  const known = await store.read();
  expect(known.launches).toEqual(launches(250));
  expect(Math.max(...(await items()).map((item) => JSON.stringify(item).length))).toBeLessThan(1_000);
  await store.change((now) => ({ ...now, launches: [] }));
  expect((await store.read()).launches).toEqual([]);
  expect(await items()).toHaveLength(1);
});

it('of two changes of the same state one is written, with its launches', async () => {
  const known = await store.read();
  const others = [launch(7), launch(8)];
  const results = await Promise.all([
    store.replace(known, { ...known, launches: launches(2) }),
    new ScalingStore(deployment.registry).replace(known, { ...known, launches: others }),
  ]);
  expect(results.filter((written) => written !== undefined)).toHaveLength(1);
  const stored = (await store.read()).launches;
  expect([launches(2), others]).toContainEqual(stored);
});

it('a change of the state alone that meets the transaction of another change is decided again', async () => {
  const { table, registry } = deployment;
  let met = 0;
  const send = async (command: unknown) => {
    if (!(command instanceof PutCommand) || met > 0) return await table.send(command as never);
    met += 1;
    await store.change((known) => ({ ...known, launches: launches(1) }));
    throw new TransactionConflictException({ $metadata: {}, message: 'there is an ongoing transaction for the item' });
  };
  const other = new ScalingStore({ ...registry, table: { send } as unknown as DynamoDBDocumentClient });
  await other.change((known) => ({ ...known, wanted: 'worker:2' }));
  expect(met).toBe(1);
  expect(await store.read()).toMatchObject({ version: 2, wanted: 'worker:2', launches: launches(1) });
});

it('launches that an earlier version stored in its one item are kept', async () => {
  const former = { ...scalingSchema.parse({ wanted: 'worker:1', launches: launches(2) }), version: 5 };
  await deployment.table.send(
    new PutCommand({ TableName: deployment.env.REGISTRY_TABLE, Item: { kind: 'scaling', id: 'workers', ...former } }),
  );
  expect((await store.read()).launches).toEqual(launches(2));
  await store.change((known) => ({ ...known, wanted: 'worker:2' }));
  expect(await store.read()).toMatchObject({ version: 6, wanted: 'worker:2', launches: launches(2) });
  expect(await items()).toHaveLength(3);
});
