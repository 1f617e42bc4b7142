import { expect, test } from 'vitest';
import { functionsUnderTest } from './functions-under-test.ts';

const ORIGIN = 'http://promptq.localhost:1234';
const service = functionsUnderTest(
  {
    'jobs.create': async () => await import('../../functions/jobs/create.ts'),
    'jobs.read': async () => await import('../../functions/jobs/read.ts'),
    'jobs.logs': async () => await import('../../functions/jobs/logs.ts'),
    'jobs.session': async () => await import('../../functions/jobs/session.ts'),
    'jobs.refuse-action': async () => await import('../../functions/jobs/refuse-action.ts'),
    'messages.create': async () => await import('../../functions/messages/create.ts'),
    'deploy-bindings.list': async () => await import('../../functions/deploy-bindings/list.ts'),
    'deploy-bindings.write': async () => await import('../../functions/deploy-bindings/write.ts'),
    'codex-account.read': async () => await import('../../functions/codex-account/read.ts'),
    'codex-account.start': async () => await import('../../functions/codex-account/start.ts'),
    'codex-account.cancel': async () => await import('../../functions/codex-account/cancel.ts'),
    'codex-account.logout': async () => await import('../../functions/codex-account/logout.ts'),
  },
  () => ({ PROMPTQ_PUBLIC_ORIGIN: ORIGIN }),
);

/** Calls the API in the name of a token; `POST` if there is a body. */
async function call(path: string, body?: object, method = body === undefined ? 'GET' : 'POST') {
  token ??= await service.token();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return await service.ask(`/api/v1${path}`, headers, init);
}
let token: string | undefined;
const PROMPT = { prompt: 'Count to three.', project: 'p' };

test('a created job is answered with its address, and the same request a second time says so', async () => {
  await service.deployment.profiles.put({ name: 'practice', agent: 'codex', vendor: 'practice' });
  const created = await call('/jobs', { ...PROMPT, idempotency_key: 'one' });
  const id = String(created.body.id);
  expect(created.status).toBe(201);
  expect(created.location).toBe(`/api/v1/jobs/${id}`);
  expect(created.body.url).toBe(`http://127.0.0.1:1234/jobs/${id}`);
  expect(created.headers.get('idempotent-replayed')).toBeNull();
  const again = await call('/jobs', { ...PROMPT, idempotency_key: 'one' });
  expect([again.body.id, again.headers.get('idempotent-replayed')]).toEqual([id, 'true']);
  // Follow-ups are created in the name of the token while it is active.
  expect((await service.deployment.jobs.get(id, { consistent: true }))?.token_id).toEqual(expect.any(String));

  const message = { text: 'And to four.', idempotency_key: 'two' };
  const told = await call(`/jobs/${id}/messages`, message);
  expect([told.status, told.headers.get('idempotent-replayed')]).toEqual([202, null]);
  const retold = await call(`/jobs/${id}/messages`, message);
  expect([retold.body.id, retold.headers.get('idempotent-replayed')]).toEqual([told.body.id, 'true']);

  expect((await call(`/jobs/${id}/session`)).status).toBe(404);
  const logs = await call(`/jobs/${id}/logs`);
  expect([logs.status, logs.headers.get('content-type')]).not.toContain('text/event-stream');
  const followed = await call(`/jobs/${id}/logs?follow=1`);
  expect([followed.status, followed.text]).toEqual([400, expect.stringContaining('text/event-stream')]);
});

test('the bindings of all projects, or of one, are listed; a project that is not there has none', async () => {
  const binding = { name: 'ci', binding_mode: 'custom', command: 'true' };
  const written = await call('/deploy-bindings', { ...binding, project: 'p' });
  expect(written.status).toBe(201);
  expect((await call('/deploy-bindings', { ...binding, project: 'p', command: 'false' })).status).toBe(200);
  await call('/deploy-bindings', { ...binding, project: 'q' });
  const listed = async (query: string) => ((await call(`/deploy-bindings${query}`)).body.items as object[]).length;
  expect([await listed(''), await listed('?project=p'), await listed('?project=nowhere')]).toEqual([2, 1, 0]);
});

test('a login begins, is cancelled once, and the account is unlinked', async () => {
  const state = async (path: string, method: string) => {
    const { status, body } = await call(`/codex-account${path}`, undefined, method);
    return [status, body.state ?? (body.details as { state: string }).state];
  };
  expect(await state('', 'GET')).toEqual([200, 'not_linked']);
  expect(await state('/start', 'POST')).toEqual([202, 'starting']);
  expect(await state('/cancel', 'POST')).toEqual([200, 'cancelled']);
  expect(await state('/cancel', 'POST')).toEqual([400, 'cancelled']);
  expect((await state('', 'DELETE'))[0]).toBe(200);
});
