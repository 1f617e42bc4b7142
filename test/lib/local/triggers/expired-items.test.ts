import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditLog } from '../../../../lib/access/audit-log.ts';
import { SessionStore } from '../../../../lib/access/sessions/session-store.ts';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { LOCK, SharedLocks } from '../../../../lib/platform/shared-lock.ts';
import { LiveWorkers } from '../../../../lib/workers/live-workers.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

const DAY_MS = 86_400_000;

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

test('readers ignore an expired item that is still in the table', async () => {
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
