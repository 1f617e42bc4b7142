import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SessionStore } from '../../../../lib/access/sessions/session-store.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../emulated-deployment.ts';
import { repeatingTable } from '../../../repeating-table.ts';

const ADA = { subject: 'sub-1', email: 'ada@example.com', role: 'operator' } as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let deployment: EmulatedDeployment;
let sessions: SessionStore;
let now: number;
beforeAll(async () => {
  deployment = await emulateDeployment();
  const registry = { ...deployment.registry, clock: { now: () => now } };
  sessions = new SessionStore({ ...registry, idleSeconds: 8 * 3_600, maxSeconds: 24 * 3_600 });
});
beforeEach(() => {
  now = Date.UTC(2030, 0);
});
afterAll(async () => await deployment.stop());

async function stored(kind: string): Promise<string> {
  const { Items } = await deployment.table.send(
    new QueryCommand({
      TableName: deployment.env.REGISTRY_TABLE,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': kind },
    }),
  );
  return JSON.stringify(Items);
}

describe('a session', () => {
  it('that ends by a delete whose answer was lost has ended once', async () => {
    const { session } = await sessions.start(ADA);
    const { registry } = deployment;
    const options = { ...registry, clock: { now: () => now }, idleSeconds: 3_600, maxSeconds: 3_600 };
    const repeating = new SessionStore({ ...options, table: repeatingTable(registry.table) });
    expect([await repeating.end(session.id), await repeating.end(session.id)]).toEqual([true, false]);
  });

  it('is found by its cookie, which is not stored', async () => {
    const { cookie, session } = await sessions.start(ADA);
    expect(await sessions.verify(cookie)).toEqual(session);
    expect(session).toMatchObject({ name: 'user:ada@example.com', role: 'operator', subject: 'sub-1' });
    expect(await stored('session')).not.toContain(cookie);
    expect(JSON.stringify(await sessions.list())).not.toContain('hash');
    for (const wrong of [
      '',
      'x',
      cookie.slice(1),
      `${cookie}x`,
      cookie.replace(/^./, (first) => (first === 'a' ? 'b' : 'a')),
    ])
      expect(await sessions.verify(wrong)).toBeUndefined();
  });

  it("has the identity provider's name for a user without an address", async () => {
    expect((await sessions.start({ ...ADA, email: undefined })).session).toMatchObject({ name: 'user:sub-1' });
  });

  it('ends when it was not used for its time', async () => {
    const { cookie, session } = await sessions.start(ADA);
    now += 8 * HOUR - 1;
    expect(await sessions.verify(cookie)).toBeDefined();
    now += 8 * HOUR;
    expect(await sessions.verify(cookie)).toBeUndefined();
    expect((await sessions.list()).map(({ id }) => id)).not.toContain(session.id);
    expect(await sessions.end(session.id)).toBe(false);
  });

  it('ends a day after its start, regardless of use', async () => {
    const { cookie } = await sessions.start(ADA);
    for (let hour = 1; hour < 24; hour++) {
      now += HOUR;
      expect(await sessions.verify(cookie), `hour ${hour}`).toBeDefined();
    }
    now += HOUR;
    expect(await sessions.verify(cookie)).toBeUndefined();
  });

  it('notes its use at most every five minutes', async () => {
    const { cookie } = await sessions.start(ADA);
    const lastUsed = async () => (await sessions.verify(cookie))?.last_used_at;
    now += 5 * MINUTE - 1;
    expect(await lastUsed()).toBe('2030-01-01T00:00:00.000Z');
    now += 1;
    expect(await lastUsed()).toBe('2030-01-01T00:05:00.000Z');
    now += MINUTE;
    expect(await lastUsed()).toBe('2030-01-01T00:05:00.000Z');
  });

  it('continues with use if the deployment ends sessions after four minutes without it', async () => {
    const brief = new SessionStore({
      ...deployment.registry,
      clock: { now: () => now },
      idleSeconds: 4 * 60,
      maxSeconds: 3_600,
    });
    const { cookie } = await brief.start(ADA);
    for (let minute = 3; minute < 60; minute += 3) {
      now += 3 * MINUTE;
      expect(await brief.verify(cookie), `minute ${minute}`).toBeDefined();
    }
  });

  it('never shows an expiry after its end', async () => {
    const { cookie } = await sessions.start(ADA);
    for (const hours of [7, 7, 7]) {
      now += hours * HOUR;
      expect(await sessions.verify(cookie)).toBeDefined();
    }
    expect((await sessions.verify(cookie))?.expires_at).toBe('2030-01-02T00:00:00.000Z');
    expect((await sessions.list()).every(({ expires_at: at }) => at <= '2030-01-02T00:00:00.000Z')).toBe(true);
  });

  it('is ended permanently, even if it is used at the same time', async () => {
    const { cookie, session } = await sessions.start(ADA);
    now += HOUR;
    const table = Object.create(deployment.table) as typeof deployment.table;
    table.send = (async (command: never) => {
      const answer = await deployment.table.send(command);
      if ((command as object) instanceof GetCommand) await sessions.end(session.id);
      return answer;
    }) as typeof table.send;
    const racing = new SessionStore({
      ...deployment.registry,
      table,
      clock: { now: () => now },
      idleSeconds: 8 * 3_600,
      maxSeconds: 24 * 3_600,
    });
    expect(await racing.verify(cookie)).toBeUndefined();
    expect(await sessions.verify(cookie)).toBeUndefined();
    expect(await stored('session')).not.toContain(session.id);
  });
});
