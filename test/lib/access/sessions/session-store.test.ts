import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SessionStore } from '../../../../lib/access/sessions/session-store.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

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
