import { expect, it } from 'vitest';
import { onCallLater } from '../../lib/platform/aws/call-later.ts';
import { functionsUnderTest } from './functions-under-test.ts';

const functions = functionsUnderTest(
  {
    'exports.create': async () => await import('../../functions/exports/create.ts'),
    'exports.read': async () => await import('../../functions/exports/read.ts'),
    'exports.list': async () => await import('../../functions/exports/list.ts'),
  },
  () => ({ PROMPTQ_API_SCOPE_ENFORCE: '1' }),
);

/** A request with a token of these scopes. */
async function ask(scope: 'read' | 'logs' | 'admin', path: string, body?: object) {
  const token = await functions.token(scope === 'admin' ? ['admin'] : ['read', scope]);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return await functions.ask(`/api/v1/exports${path}`, headers, init);
}

const { handler } = await import('../../functions/triggers/make-exports.ts');

/** An export that is made. */
async function exported(kind: string): Promise<string> {
  const { body } = await ask('admin', '', { kind, format: 'jsonl' });
  await handler({ id: String(body.id) });
  return String(body.id);
}

it('only administrators start exports, and only callers who may read what one contains get a link', async () => {
  expect((await ask('logs', '', { kind: 'jobs', format: 'jsonl' })).status).toBe(403);
  const [jobs, audit] = [await exported('jobs'), await exported('audit')];
  const urlOf = async (scope: 'read' | 'logs', id: string) => (await ask(scope, `/${id}`)).body.url;
  expect(await urlOf('read', jobs)).toMatch(/^http/);
  expect(await urlOf('read', audit)).toBeNull();
  expect(await urlOf('logs', audit)).toMatch(/^http/);
  const { body } = await ask('read', '');
  expect(JSON.stringify(body)).not.toContain('http');
});

it('reading an export that nobody makes calls for it again, and no other', async () => {
  const called: string[] = [];
  const stop = onCallLater('make-exports', (id) => called.push(id));
  const { body } = await ask('admin', '', { kind: 'jobs', format: 'jsonl' });
  const id = String(body.id);
  await ask('read', `/${id}`);
  await handler({ id });
  await ask('read', `/${id}`);
  stop();
  expect(called).toEqual([id, id]);
});
