import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SessionStore } from '../../../../lib/access/sessions/session-store.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { repeatingTable } from '../../../stand-ins/repeating-table.ts';

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
    const noted = now;
    now += MINUTE - 1;
    expect((await brief.verify(cookie))?.last_used_at).toBe(new Date(noted).toISOString());
    now += 1;
    expect((await brief.verify(cookie))?.last_used_at).toBe(new Date(now).toISOString());
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

/** Sessions through a table with an answer of its own to some commands. */
function sessionsWith(
  send: (command: unknown) => Promise<object>,
  seconds = { idleSeconds: 3_600, maxSeconds: 3_600 },
) {
  const table = { send } as unknown as DynamoDBDocumentClient;
  return new SessionStore({ ...deployment.registry, table, clock: { now: () => now }, ...seconds });
}

it('a session is seen, listed and ended at once, and a cookie of another form is not even looked for', async () => {
  const asked: unknown[] = [];
  const lagging = sessionsWith(async (command) => {
    const isRead = command instanceof GetCommand || command instanceof QueryCommand;
    if (isRead) asked.push(command.input);
    return isRead && command.input.ConsistentRead !== true ? {} : await deployment.table.send(command as never);
  });
  const { cookie, session } = await sessions.start(ADA);
  expect(await lagging.verify(cookie)).toEqual(session);
  expect(await lagging.list()).toContainEqual(session);
  expect([await lagging.endByCookie(cookie), await lagging.endByCookie(cookie)]).toEqual([true, false]);
  asked.length = 0;
  for (const wrong of ['', 'x', `${cookie}x`, ` ${cookie}`]) expect(await lagging.verify(wrong)).toBeUndefined();
  expect(asked).toEqual([]);
});

it('a session shows the browser and address of its sign-in, and the newest comes first', async () => {
  const { session: first } = await sessions.start(ADA, { browser: 'Firefox on Linux', address: '203.0.113.9' });
  now += 1;
  const { session: second } = await sessions.start(
    { ...ADA, email: undefined },
    { browser: undefined, address: undefined },
  );
  const at = (milliseconds: number) => new Date(milliseconds).toISOString();
  expect(first).toEqual({
    ...{ id: first.id, subject: 'sub-1', name: 'user:ada@example.com', email: 'ada@example.com', role: 'operator' },
    ...{ browser: 'Firefox on Linux', address: '203.0.113.9' },
    ...{ created_at: at(now - 1), last_used_at: at(now - 1), expires_at: at(now - 1 + 8 * HOUR) },
  });
  expect(Object.keys(second)).not.toContain('browser');
  const listed = (await sessions.list()).filter(({ id }) => [first.id, second.id].includes(id));
  expect(listed).toEqual([second, first]);
});

it('a session that may idle longer than it lasts expires at its end', async () => {
  const { table } = deployment;
  const { session } = await sessionsWith(async (command) => await table.send(command as never), {
    ...{ idleSeconds: 7_200, maxSeconds: 3_600 },
  }).start(ADA);
  expect(session.expires_at).toBe('2030-01-01T01:00:00.000Z');
});

it('DynamoDB may remove a session from the second after its expiry', async () => {
  const written: unknown[] = [];
  const watched = sessionsWith(
    async (command) => {
      if (command instanceof PutCommand) written.push(command.input.Item?.expires_at_epoch);
      if (command instanceof UpdateCommand) written.push(command.input.ExpressionAttributeValues?.[':epoch']);
      return await deployment.table.send(command as never);
    },
    { idleSeconds: 3_600, maxSeconds: 7_200 },
  );
  now += 1;
  const { cookie } = await watched.start(ADA);
  now += HOUR - 2;
  await watched.verify(cookie);
  expect(written).toEqual([Date.UTC(2030, 0, 1, 1) / 1_000 + 1, Date.UTC(2030, 0, 1, 2) / 1_000]);
});

it('a session is over at its end, whatever its expiry says', async () => {
  let item: Record<string, unknown> = {};
  const table = async (command: unknown) => {
    if (command instanceof PutCommand) item = command.input.Item ?? {};
    return { Item: item };
  };
  const { cookie } = await sessionsWith(table).start(ADA);
  item.expires_at = '2031-01-01T00:00:00.000Z';
  now += HOUR - 1;
  expect(await sessionsWith(table).verify(cookie)).toBeDefined();
  now += 1;
  expect(await sessionsWith(table).verify(cookie)).toBeUndefined();
});

it('a use that cannot be noted fails, so that no session is shown as ended', async () => {
  const { cookie } = await sessions.start(ADA);
  now += 5 * MINUTE;
  const failing = sessionsWith(async (command) => {
    if (command instanceof UpdateCommand) throw new Error('throttled');
    return await deployment.table.send(command as never);
  });
  await expect(failing.verify(cookie)).rejects.toThrow('throttled');
});
