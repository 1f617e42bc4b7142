import { expect, test } from 'vitest';
import { SessionStore } from '../../../lib/access/sessions/session-store.ts';
import { functionsUnderTest } from '../functions-under-test.ts';

const service = functionsUnderTest(
  { 'session.read': async () => await import('../../../functions/session/read.ts') },
  (url) => ({ PROMPTQ_PUBLIC_ORIGIN: url }),
);

test('a token has scopes, and no session, role or email', async () => {
  const authorization = `Bearer ${await service.token(['read', 'logs'])}`;
  expect((await service.ask('/api/v1/session', { authorization })).body).toMatchObject({
    ...{ kind: 'token', name: 'token:test', scopes: ['read', 'logs'] },
    ...{ role: null, email: null, session_id: null, expires_at: null },
  });
});

test('a session has a role, an end and its id, no scopes, and the email if it is known', async () => {
  const sessions = new SessionStore({ ...service.deployment.registry, idleSeconds: 3_600, maxSeconds: 3_600 });
  const read = async (email: string | undefined) => {
    const { cookie } = await sessions.start({ subject: 'ada', email, role: 'viewer' });
    return (await service.ask('/api/v1/session', { cookie: `promptq=${cookie}` })).body;
  };
  expect(await read('ada@example.com')).toMatchObject({
    ...{ kind: 'session', role: 'viewer', email: 'ada@example.com', scopes: null },
    ...{ session_id: expect.any(String), expires_at: expect.any(String) },
  });
  expect(await read(undefined)).toMatchObject({ role: 'viewer', email: null });
});
