import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import type { Launch } from '../../../../lib/workers/scaling/launches.ts';
import { ScalingStore } from '../../../../lib/workers/scaling/scaling-store.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

const at = '2026-11-20T10:00:00.000Z';
const launch = (token: string, more: Partial<Launch> = {}): Launch => ({
  ...{ token, provider: 'FARGATE', count: 1, build: 'worker:1', at },
  ...more,
});

/** A store whose requests are seen, and may be refused: each error is thrown once. */
function seenStore(faults: Error[] = []) {
  const { table, env } = quietDeployment();
  const requests: object[] = [];
  const send = async (command: { input: object }) => {
    requests.push(command);
    const isWrite = command instanceof PutCommand || command instanceof TransactWriteCommand;
    const fault = isWrite ? faults.shift() : undefined;
    if (fault !== undefined) throw fault;
    return await table.send(command as never);
  };
  const seen = { send } as unknown as typeof table;
  return { requests, store: new ScalingStore({ table: seen, registryTable: env.REGISTRY_TABLE }) };
}

const $metadata = {};
const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({ $metadata, message: '', CancellationReasons: codes.map((Code) => ({ Code })) });

it('decisions are made about the last acknowledged state, and clients are shown one of a moment ago', async () => {
  const { store, requests } = seenStore();
  await store.read();
  await store.readState();
  const consistent = requests.flatMap((request) =>
    request instanceof GetCommand || request instanceof QueryCommand ? [request.input.ConsistentRead] : [],
  );
  expect(consistent).toEqual([true, true, false]);
});

it('launches are sorted by time, those of the same time by token', async () => {
  const { store } = seenStore();
  const [b, a] = [launch('b'), launch('a')];
  const early = launch('z', { at: '2026-11-20T09:00:00.000Z' });
  await store.change((known) => ({ ...known, launches: [b, a, early] }));
  expect((await store.read()).launches).toEqual([early, a, b]);
});

it('a write holds only what has changed, and nothing is written for the same state', async () => {
  const { store, requests } = seenStore();
  await store.change((known) => ({ ...known, launches: [launch('a'), launch('b'), launch('c')] }));
  const writes = () => requests.flatMap((request) => (request instanceof TransactWriteCommand ? [request.input] : []));
  expect(writes().map(({ TransactItems }) => TransactItems?.length)).toEqual([4]);
  await store.change(({ launches, ...known }) => ({
    ...known,
    launches: launches.slice(1).map((one) => (one.token === 'b' ? { ...one, tasks: ['x'] } : one)),
  }));
  const ids = writes()
    .at(-1)
    ?.TransactItems?.map(({ Put, Delete }) => Put?.Item?.id ?? Delete?.Key?.id);
  expect(ids).toEqual(['workers', 'launch#a', 'launch#b']);
  const before = requests.length;
  await store.change((known) => known);
  expect(
    requests.slice(before).some((request) => !(request instanceof GetCommand || request instanceof QueryCommand)),
  ).toBe(false);
  await store.change((known) => ({ ...known, wanted: 'worker:2' }));
  expect(requests.at(-1)).toBeInstanceOf(PutCommand);
});

it('a transaction holds the state and 99 launches', async () => {
  const { store, requests } = seenStore();
  const launches = Array.from({ length: 199 }, (_, n) => launch(`t${String(n).padStart(3, '0')}`));
  await store.change((known) => ({ ...known, launches }));
  const sizes = requests.flatMap((request) =>
    request instanceof TransactWriteCommand ? [request.input.TransactItems?.length] : [],
  );
  expect(sizes).toEqual([100, 100, 2]);
  expect(await store.read()).toEqual({ version: 3, spot_owed: 0, launches });
});

it.each<[string, Error]>([
  ['has changed the state', new ConditionalCheckFailedException({ $metadata, message: '' })],
  ['has a transaction for it', new TransactionConflictException({ $metadata, message: '' })],
  ['has changed it, as a transaction shows', cancelled('None', 'ConditionalCheckFailed')],
  ['has a transaction for it, as another shows', cancelled('TransactionConflict', 'None')],
])('a change is decided again if another writer %s', async (_what, fault) => {
  const { store } = seenStore([fault]);
  let decided = 0;
  const written = await store.change((known) => {
    decided += 1;
    return { ...known, wanted: 'worker:1' };
  });
  expect([decided, written.version]).toEqual([2, 1]);
});

it('a change fails when other writers are faster ten times, and for any other fault at once', async () => {
  const faults = (count: number) =>
    Array.from({ length: count }, () => new ConditionalCheckFailedException({ $metadata, message: '' }));
  const update = <T extends object>(known: T) => ({ ...known, wanted: 'worker:1' });
  expect(await seenStore(faults(9)).store.change(update)).toMatchObject({ version: 1 });
  await expect(seenStore(faults(10)).store.change(update)).rejects.toThrow('faster every time');
  for (const fault of [new Error('unavailable'), cancelled('ThrottlingError')])
    await expect(seenStore([fault]).store.change(update)).rejects.toBe(fault);
});

it('a state that another writer has replaced is not written over, the first one included', async () => {
  const { store } = seenStore();
  const none = await store.read();
  const first = await store.replace(none, { ...none, wanted: 'worker:1' });
  expect(first).toMatchObject({ version: 1 });
  expect(await store.replace(none, { ...none, wanted: 'worker:2' })).toBeUndefined();
  const known = await store.read();
  expect(await store.replace(known, { ...known, wanted: 'worker:3' })).toMatchObject({ version: 2 });
  expect(await store.replace(known, { ...known, wanted: 'worker:4' })).toBeUndefined();
  expect(await store.read()).toMatchObject({ version: 2, wanted: 'worker:3' });
});
