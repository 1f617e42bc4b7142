import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { originDigest } from '../../../lib/access/origin-secret.ts';
import type { LambdaAnswer } from '../../../lib/api/answer.ts';
import { handle, handleUnmapped } from '../../../lib/api/serve.ts';
import { ApiError } from '../../../lib/contract/errors.ts';
import type { Route } from '../../../lib/contract/route.ts';
import { aContext, anEvent, served, TOKEN, UNKNOWN } from './served.ts';

const { core, known, logged, audited } = served({ PROMPTQ_API_SCOPE_ENFORCE: '1' });

const ROUTE = {
  id: 'things.read',
  method: 'GET',
  path: '/things/{id}',
  auth: { kind: 'principal', scope: 'read' },
  summary: '',
  description: '',
  params: z.object({ id: z.string().optional() }),
  query: z.object({ limit: z.string().optional() }),
  body: undefined,
  headers: undefined,
  responses: {
    200: { description: '', schema: z.object({ ok: z.boolean() }), otherMedia: { 'text/plain': z.string() } },
    202: { description: '' },
  },
  errors: [],
  mode: 'buffered',
  access: {},
} as const satisfies Route;

type Run = Parameters<typeof handle<typeof ROUTE, object>>[2];
type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<LambdaAnswer>;

/** The answer of a route to a request. */
async function ask(
  run: Run = async () => ({ body: { ok: true } }),
  { event = {}, route = {}, context = aContext() }: { event?: object; route?: Partial<Route>; context?: Context } = {},
) {
  const handler = handle({ ...ROUTE, ...route } as typeof ROUTE, () => ({}), run) as unknown as Handler;
  const { statusCode, headers, body } = await handler(anEvent(event), context);
  return { status: statusCode, headers, body };
}

const refused = (status: number, more: object = {}) => ({
  ...{ line: 'refused', route: 'things.read', request_id: 'request-1', job_id: undefined, source_ip: '192.0.2.7' },
  ...{ status, principal: undefined, ...more },
});

it('a request is judged in a fixed order: its size, its caller, the scope, then its input', async () => {
  const bad = { multiValueQueryStringParameters: { no: ['1'] } };
  const stranger = { ...bad, headers: { authorization: `Bearer ${UNKNOWN}` } };
  known.scopes = [];
  const status = async (event: object) => (await ask(undefined, { event })).status;
  expect(await status({ ...stranger, body: 'x'.repeat(21) })).toBe(413);
  expect(await status({ ...stranger, body: 'x'.repeat(20) })).toBe(401);
  expect(await status(bad)).toBe(403);
  known.scopes = ['read'];
  expect(await status(bad)).toBe(400);
  expect(logged).toEqual([refused(413), refused(401), refused(403), refused(400, { principal: 'token:ci' })]);
});

it('only an audited route records what a known caller did, also when it is refused', async () => {
  const route = { audited: true };
  const event = { pathParameters: { id: 'a'.repeat(201) }, headers: { 'X-API-Token': TOKEN } };
  await ask(undefined, { route, event });
  await ask(async () => Promise.reject(ApiError.of('not_found')), { route, event });
  await ask(undefined, { route, event: { headers: {} } });
  const entry = { actor: 'token:ci', action: 'things.read', sourceIp: '192.0.2.7', requestId: 'request-1' };
  const target = { id: 'a'.repeat(200) };
  expect(audited).toEqual([200, 404].map((status) => ({ ...entry, status, target })));
});

it('a token that goes too fast waits; other callers do not', async () => {
  const take = vi.spyOn(core.tokenRate, 'take').mockReturnValue(3);
  const { status, headers } = await ask();
  expect([status, headers['retry-after'], take.mock.calls]).toEqual([429, '3', [['tok_1']]]);
  take.mockReturnValue(0);
  expect((await ask()).status).toBe(200);
});

/** The headers of an admin's browser on a page of an origin; the service's own is `https://own.example`. */
function fromBrowser(Origin = 'https://own.example') {
  known.publicOrigin = 'https://own.example';
  const session = { id: 's', name: 'user:a', role: 'admin', expires_at: '2027-01-01T00:00:00.000Z' };
  vi.spyOn(core.sessions, 'verify').mockResolvedValue(session as never);
  return { Cookie: '__Host-promptq=x', Origin };
}

it('a stream is given up too if it does not begin in time, and fails with a status until then', async () => {
  const heads: object[] = [];
  const from = (stream: PassThrough, head: object) => {
    heads.push(head);
    return stream;
  };
  vi.stubGlobal('awslambda', { streamifyResponse: (handler: unknown) => handler, HttpResponseStream: { from } });
  const ended = async (body: Readable, ...remaining: readonly number[]) => {
    const run = async () => ({ body });
    const streamed = handle({ ...ROUTE, mode: 'stream' } as never, () => ({}), run as never) as unknown as (
      ...given: unknown[]
    ) => Promise<void>;
    const output = new PassThrough();
    await streamed(anEvent(), output, aContext(...remaining));
    return [heads.at(-1), await text(output)];
  };
  expect(await ended(Readable.from(['{', '}']))).toMatchObject([{ statusCode: 200 }, '{}']);
  const silent = new Readable({ read: () => undefined });
  expect(await ended(silent, 10_000, 500)).toMatchObject([
    { statusCode: 504, headers: { 'retry-after': '5' } },
    expect.stringContaining('timed_out'),
  ]);
  const failing = new Readable({ read: () => failing.destroy(ApiError.of('unavailable')) });
  expect(await ended(failing)).toMatchObject([{ statusCode: 503 }, expect.stringContaining('unavailable')]);
  vi.unstubAllGlobals();
});

it('a session may change something only from the own site', async () => {
  const from = async (origin?: string, httpMethod = 'POST') =>
    (await ask(undefined, { event: { httpMethod, headers: fromBrowser(origin) } })).status;
  expect([await from(), await from('https://evil.example')]).toEqual([200, 403]);
  expect(await from('https://evil.example', 'GET')).toBe(200);
});

it('behind CloudFront, a request without its secret is forbidden, and what it says of its address is not believed', async () => {
  const alone = { behindCloudFront: core.behindCloudFront, digests: core.env.PROMPTQ_ORIGIN_DIGESTS };
  Object.assign(core, { behindCloudFront: true });
  Object.assign(core.env, { PROMPTQ_ORIGIN_DIGESTS: [originDigest('secret')] });
  const headers = { authorization: `Bearer ${TOKEN}`, 'x-promptq-viewer': '203.0.113.9' };
  expect((await ask(undefined, { event: { headers } })).status).toBe(403);
  const through = await ask(undefined, { event: { headers: { ...headers, 'x-promptq-origin': 'secret' } } });
  expect([through.status, 'strict-transport-security' in through.headers]).toEqual([200, true]);
  expect(logged).toMatchObject([
    { status: 403, source_ip: '192.0.2.7' },
    { status: 200, source_ip: '203.0.113.9' },
  ]);
  Object.assign(core, { behindCloudFront: alone.behindCloudFront });
  Object.assign(core.env, { PROMPTQ_ORIGIN_DIGESTS: alone.digests });
});

it('what no route maps is not found; of a path that others do, the methods are named', async () => {
  known.scopes = ['admin'];
  const unmapped = handleUnmapped() as unknown as Handler;
  const of = async (parts: object) => await unmapped(anEvent({ httpMethod: 'PUT', ...parts }), aContext());
  expect(await of({ resource: '/api/v1/jobs' })).toMatchObject({ statusCode: 404, headers: { allow: 'GET, POST' } });
  expect((await of({ resource: '/{proxy+}' })).headers).not.toHaveProperty('allow');
  known.scopes = ['write'];
  const hidden = await of({ resource: '/api/v1/jobs' });
  expect([hidden.statusCode, 'allow' in hidden.headers]).toEqual([403, false]);
  expect((await of({ path: '/api/v1/terminal-sessions/7' })).statusCode).toBe(404);
  expect(logged.at(-1)).toMatchObject({ route: 'unmapped', status: 404 });
});
