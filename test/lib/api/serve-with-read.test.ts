import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { generateToken } from '../../../lib/access/tokens/api-tokens.ts';
import type { LambdaAnswer } from '../../../lib/api/answer.ts';
import { handleWithRead } from '../../../lib/api/serve.ts';
import { ApiError } from '../../../lib/contract/errors.ts';
import type { Route } from '../../../lib/contract/route.ts';
import { aContext, anEvent, served, TOKEN, UNKNOWN } from './served.ts';

const { core, known } = served({ PROMPTQ_MAX_BODY_BYTES: '200000', PROMPTQ_API_SCOPE_ENFORCE: '1' });

const ROUTE = {
  id: 'things.write',
  method: 'POST',
  path: '/things',
  scope: 'read',
  summary: '',
  description: '',
  params: undefined,
  query: undefined,
  body: z.object({ name: z.string() }),
  headers: undefined,
  responses: { 200: { description: '', schema: z.object({ read: z.string() }) } },
  errors: ['job_not_found'],
  mode: 'buffered',
  access: {},
} as const satisfies Route;

const read = vi.fn(async ({ body }: { body: { name: string } }) => `read ${body.name}`);
const run = vi.fn(async (_input: unknown, _call: unknown, _services: unknown, begun: Promise<string>) => ({
  body: { read: await begun },
}));
const handler = handleWithRead(ROUTE, () => ({}), read, run) as unknown as (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<LambdaAnswer>;

const call = async (headers: Record<string, string>, body: object = { name: 'a' }, called = handler) => {
  const event = anEvent({ httpMethod: 'POST', path: '/api/v1/things', headers, body: JSON.stringify(body) });
  const { statusCode, body: text } = await called(event, aContext());
  return [statusCode, JSON.parse(String(text))] as const;
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

beforeEach(() => {
  read.mockClear();
  run.mockClear();
});

it('reads while the token is read, once, and answers with what it read', async () => {
  const verify = vi.mocked(core.tokens.verify).getMockImplementation();
  const begun = Promise.withResolvers<void>();
  read.mockImplementationOnce(async () => {
    begun.resolve();
    return 'read early';
  });
  vi.mocked(core.tokens.verify).mockImplementation(async (text) => {
    await begun.promise;
    return await verify?.(text);
  });
  expect(await call(bearer(TOKEN))).toEqual([200, { read: 'read early' }]);
  expect(read).toHaveBeenCalledTimes(1);
});

it('reads also beside a session, and only for what can be a credential', async () => {
  const session = vi.spyOn(core.sessions, 'verify').mockResolvedValue(undefined);
  const cookie = `__Host-promptq=${'c'.repeat(43)}`;
  expect(await call({ cookie })).toMatchObject([401, {}]);
  expect([read.mock.calls.length, session.mock.calls.length]).toEqual([1, 1]);
  for (const headers of [
    {},
    { cookie: '__Host-promptq=short' },
    bearer('pq_short'),
    bearer(`${TOKEN.slice(0, -1)}!`),
    { 'x-perimeter-token': 'p', cookie },
    { 'x-telegram-init-data': 't', cookie },
    { ...bearer(TOKEN), 'x-api-token': generateToken() },
  ])
    expect(await call(headers as Record<string, string>)).toMatchObject([401, {}]);
  expect([read.mock.calls.length, session.mock.calls.length]).toEqual([1, 2]);
  expect(run).not.toHaveBeenCalled();
});

it('a stranger with the form of a token is refused once the read has ended, whatever became of it', async () => {
  const order: string[] = [];
  read.mockImplementationOnce(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push('read');
    throw new Error('the table is out of reach');
  });
  const answer = await call(bearer(UNKNOWN));
  order.push('answered');
  expect([answer[0], order]).toEqual([401, ['read', 'answered']]);
  expect(run).not.toHaveBeenCalled();
});

it('a request with a fault is refused for its caller first, and then for the fault, and reads nothing', async () => {
  expect(await call(bearer(UNKNOWN), { name: 1 })).toMatchObject([401, {}]);
  expect(await call(bearer(TOKEN), { name: 1 })).toMatchObject([
    400,
    { error: 'body.name: received 1 (number); expected string' },
  ]);
  known.scopes = [];
  expect(await call(bearer(TOKEN), { name: 1 })).toMatchObject([403, {}]);
  expect(read).not.toHaveBeenCalled();
});

it('what the read found wrong is the answer', async () => {
  read.mockRejectedValueOnce(ApiError.of('job_not_found'));
  expect(await call(bearer(TOKEN))).toMatchObject([404, { error: 'job_not_found' }]);
});

it('a large body is not parsed for a stranger', async () => {
  const name = 'n'.repeat(70_000);
  expect(await call(bearer(UNKNOWN), { name })).toMatchObject([401, {}]);
  expect(read).not.toHaveBeenCalled();
  expect(await call(bearer(TOKEN), { name })).toEqual([200, { read: `read ${name}` }]);
});

it('a read that fails is no fault where the answer does without it', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const refused = handleWithRead(
    ROUTE,
    () => ({}),
    async () => Promise.reject(ApiError.of('job_not_found')),
    async () => Promise.reject(ApiError.of('not_found')),
  );
  // Too large to be read early.
  const answer = await call(bearer(TOKEN), { name: 'n'.repeat(70_000) }, refused as unknown as typeof handler);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(answer).toMatchObject([404, { error: 'not_found' }]);
  expect(unhandled).not.toHaveBeenCalled();
});
