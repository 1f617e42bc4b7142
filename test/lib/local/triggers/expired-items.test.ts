import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditLog } from '../../../../lib/access/audit-log.ts';
import { SessionStore } from '../../../../lib/access/sessions/session-store.ts';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { removeExpiredItems } from '../../../../lib/local/triggers/expired-items.ts';
import { LOCK, SharedLocks } from '../../../../lib/platform/shared-lock.ts';
import { LiveWorkers } from '../../../../lib/workers/live-workers.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

const DAY_MS = 86_400_000;
const TWO_DAYS_SECONDS = 172_800;

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

test('expired items are removed, as late as DynamoDB may remove them', async () => {
  const { table, env } = deployment;
  const now = Math.floor(Date.now() / 1000);
  for (const [id, expires] of [
    ['long-ago', now - TWO_DAYS_SECONDS - 10],
    ['past', now - TWO_DAYS_SECONDS + 60],
    ['future', now + 1_000],
    ['never', undefined],
  ] as const)
    await table.send(
      new PutCommand({ TableName: env.REGISTRY_TABLE, Item: { kind: 'x', id, expires_at_epoch: expires } }),
    );
  await removeExpiredItems(table, env.REGISTRY_TABLE);
  const { Items = [] } = await table.send(new ScanCommand({ TableName: env.REGISTRY_TABLE }));
  expect(Items.map(({ id }) => id).toSorted()).toEqual(['future', 'never', 'past']);
});

test('an item that is renewed while expired ones are removed stays, and other failures are not hidden', async () => {
  const { table, env } = deployment;
  const item = { kind: 'x', id: 'renewed' };
  const put = async (expires: number) =>
    await table.send(new PutCommand({ TableName: env.REGISTRY_TABLE, Item: { ...item, expires_at_epoch: expires } }));
  await put(1);
  let fault: Error | undefined;
  // Between the scan and the removal.
  const meanwhile = async (command: ScanCommand | DeleteCommand) => {
    if (command instanceof DeleteCommand) {
      if (fault !== undefined) throw fault;
      return await table.send(command);
    }
    expect(command.input.Limit).toBeLessThanOrEqual(500);
    const page = await table.send(command);
    if (fault === undefined) await put(Math.floor(Date.now() / 1_000) + 60);
    return page;
  };
  const slow = { send: meanwhile } as unknown as DynamoDBDocumentClient;
  await removeExpiredItems(slow, env.REGISTRY_TABLE);
  const { Items = [] } = await table.send(new ScanCommand({ TableName: env.REGISTRY_TABLE }));
  expect(Items.map(({ id }) => id)).toContain('renewed');
  await put(1);
  fault = new Error('no connection');
  await expect(removeExpiredItems(slow, env.REGISTRY_TABLE)).rejects.toBe(fault);
});

test('no reader takes an expired item for a valid one while it is still in the table', async () => {
  const { registry, clock, table, env } = deployment;
  let ahead = 0;
  const options = { ...registry, clock: { now: () => clock.now() + ahead } };
  const sessions = new SessionStore({ ...options, idleSeconds: 60, maxSeconds: 60 });
  const audit = new AuditLog({ ...options, log: { error: () => undefined } });
  const locks = new SharedLocks(options);
  const workers = new LiveWorkers(options);
  const { cookie, session } = await sessions.start({ subject: 's', email: undefined, role: 'admin' });
  await audit.record({ actor: 'a', action: 'x.y', target: {}, sourceIp: undefined, status: 200, requestId: 'r' });
  await locks.take('shared', 'first', LOCK.duration);
  const started_at = '2026-01-01T00:00:00.000Z';
  await workers.register({ id: 'w', host: 'h', version: '1', concurrency: 1, running: [], started_at });
  const kinds = async () => {
    const { Items = [] } = await table.send(
      new ScanCommand({ TableName: env.REGISTRY_TABLE, FilterExpression: 'attribute_exists(expires_at_epoch)' }),
    );
    return new Set(Items.map(({ kind }) => kind as string).filter((kind) => kind !== 'x'));
  };
  expect(await kinds()).toEqual(new Set(['audit', 'lock', 'session', 'worker']));

  ahead = (LIMITS.auditDays + 1) * DAY_MS;
  expect((await kinds()).size).toBe(4);
  expect([await sessions.verify(cookie), await sessions.list(), await sessions.end(session.id)]).toEqual([
    undefined,
    [],
    false,
  ]);
  expect((await audit.list({ limit: 10 })).items).toEqual([]);
  expect(await workers.recent()).toEqual([]);
  expect(await locks.take('shared', 'second')).toBe(true);
});
