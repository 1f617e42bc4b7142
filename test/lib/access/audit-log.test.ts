import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AuditLog } from '../../../lib/access/audit-log.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { AUDIT_KIND } from '../../../lib/platform/aws/tables.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

const DAY = 86_400_000;
const lost: Record<string, unknown>[] = [];
const log = { error: (_message: string, details: Record<string, unknown>) => void lost.push(details) };

let deployment: EmulatedDeployment;
let now = Date.parse('2026-11-20T10:00:00.000Z');
let audit: AuditLog;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());
beforeEach(() => {
  // Each test has a quarter of a year to itself: what it writes has gone for the next.
  now += 2 * LIMITS.auditDays * DAY;
  audit = new AuditLog({ ...deployment.registry, clock: { now: () => now }, log });
});

const entry = { actor: 'token:ci', action: 'jobs.cancel', target: { id: 'job_1' }, sourceIp: '203.0.113.9' };

async function record(count: number, change: Partial<typeof entry> = {}): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    now += 1_000;
    await audit.record({ ...entry, ...change, status: 200, requestId: `r-${now}` });
  }
}

it('a row has the actor, action, target, time, address and outcome', async () => {
  await audit.record({ ...entry, status: 400, requestId: 'r-1' });
  const at = new Date(now).toISOString();
  expect((await audit.list({ limit: 10 })).items).toEqual([
    {
      id: `${at}#r-1`,
      at,
      actor: 'token:ci',
      action: 'jobs.cancel',
      target: { id: 'job_1' },
      source_ip: '203.0.113.9',
      status: 400,
      request_id: 'r-1',
    },
  ]);
});

it('rows come newest first, page after page, each once', async () => {
  await record(5);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await audit.list({ limit: 2, cursor });
    seen.push(...page.items.map(({ at }) => at));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual([4, 3, 2, 1, 0].map((ago) => new Date(now - (4 - ago) * 1_000).toISOString()));
});

it('a row is not shown, and may be removed, when its time has passed', async () => {
  await record(1);
  const { Items } = await deployment.table.send(
    new QueryCommand({
      TableName: deployment.env.REGISTRY_TABLE,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': AUDIT_KIND },
      ScanIndexForward: false,
      Limit: 1,
    }),
  );
  expect(Items?.[0]?.expires_at_epoch).toBe(Math.floor(now / 1000) + 90 * 86_400);
  now += 91 * DAY;
  expect((await audit.list({ limit: 1 })).items).toEqual([]);
  const since = new Date(now - 92 * DAY).toISOString();
  expect((await audit.list({ limit: 1, since })).items).toEqual([]);
});

it("a row that can't be written is logged, and fails no request", async () => {
  const nowhere = new AuditLog({ ...deployment.registry, registryTable: 'nowhere', clock: { now: () => now }, log });
  await nowhere.record({ ...entry, status: 200, requestId: 'r-lost' });
  expect(lost).toContainEqual(expect.objectContaining({ request_id: 'r-lost', actor: 'token:ci' }));
});
