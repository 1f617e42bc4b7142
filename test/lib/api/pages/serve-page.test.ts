import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeEach, expect, it, vi } from 'vitest';
import { IdentityProviderError } from '../../../../lib/access/sign-in/identity-provider-error.ts';
import type { LambdaAnswer } from '../../../../lib/api/answer.ts';
import { refusedSignIn } from '../../../../lib/api/pages/refused-sign-in.ts';
import { handlePage, type PageAnswer, type Visit } from '../../../../lib/api/pages/serve-page.ts';
import { redirectOr } from '../../../../lib/api/redirect.ts';
import { ApiError } from '../../../../lib/contract/errors.ts';
import type { Page } from '../../../../lib/contract/route.ts';
import { aContext, anEvent, served } from '../served.ts';

const { core, known, logged, audited } = served();
beforeEach(() => {
  known.publicOrigin = 'https://own.example';
});

const PAGE: Page = {
  ...{ id: 'auth.sign-in', method: 'GET', path: '/auth/sign-in', summary: '', outsideApi: true, mode: 'buffered' },
  access: {},
};
const DONE: PageAnswer = { status: 200, page: { title: 'Done', paragraphs: ['It is.'] } };

/** The answer of a page to a visit. */
async function visit(run: (seen: Visit) => Promise<PageAnswer> = async () => DONE, event: object = {}) {
  const handler = handlePage(PAGE, () => ({}), run) as unknown as (
    from: APIGatewayProxyEvent,
    context: Context,
  ) => Promise<LambdaAnswer>;
  return await handler(anEvent(event), aContext());
}
const line = { route: 'auth.sign-in', request_id: 'request-1' };

it('a page is not kept or framed, shows no id of its request while all is well, and is logged', async () => {
  const { statusCode, headers, body, multiValueHeaders } = await visit();
  expect([statusCode, multiValueHeaders]).toEqual([200, undefined]);
  expect(body).toContain('<h1>Done</h1>');
  expect(body).not.toContain('request-1');
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  expect(logged).toEqual([{ line: 'answered', ...line, status: 200, principal: undefined }]);
  expect((await visit(async () => ({ ...DONE, status: 399 }))).body).not.toContain('request-1');
  expect((await visit(async () => ({ ...DONE, status: 400 }))).body).toContain('Request request-1');
});

it('a redirect has no text, and both can set cookies', async () => {
  const cookies = ['a=1', 'b=2'];
  const multiValueHeaders = { 'set-cookie': cookies };
  const redirected = await visit(async () => ({ location: '/jobs', cookies }));
  expect(redirected).toMatchObject({ statusCode: 303, body: '', multiValueHeaders, headers: { location: '/jobs' } });
  expect(await visit(async () => ({ ...DONE, cookies }))).toMatchObject({ statusCode: 200, multiValueHeaders });
});

it('an action of a known person is audited, others are not', async () => {
  const principal = { kind: 'session', name: 'user:a', role: 'admin', sessionId: 's' } as const;
  await visit(async () => ({ location: '/', principal }));
  await visit();
  const entry = { actor: 'user:a', action: 'auth.sign-in', status: 303, sourceIp: '192.0.2.7', target: {} };
  expect(audited).toEqual([{ ...entry, requestId: 'request-1' }]);
  expect(logged[0]).toMatchObject({ status: 303, principal: 'user:a' });
});

it('a visit has what the browser brought: its query, headers, address and cookies', async () => {
  const seen: Visit[] = [];
  await visit(
    async (one) => {
      seen.push(one);
      return DONE;
    },
    {
      headers: { Cookie: '__Host-promptq=s; __Host-promptq-sign-in-2=x', 'X-A': 'b' },
      multiValueQueryStringParameters: { a: ['1', '2'], b: undefined },
    },
  );
  expect(seen).toMatchObject([{ origin: 'https://own.example', address: '192.0.2.7', headers: { 'x-a': 'b' } }]);
  expect(seen[0]?.query.toString()).toBe('a=1&a=2');
  expect(seen[0]?.brought).toEqual({ session: 's', signIns: new Map([['2', 'x']]) });
});

it('without a public origin, no page is opened: sign-in is not set up', async () => {
  known.publicOrigin = undefined;
  const run = vi.fn(async () => DONE);
  const { statusCode, body } = await visit(run);
  expect([statusCode, run.mock.calls]).toEqual([503, []]);
  expect(body).toContain('<h1>Sign-in is not set up</h1>');
  for (const part of ['PROMPTQ_PUBLIC_ORIGIN', 'The API works with tokens']) expect(body).toContain(part);
});

it.each<[error: Error, status: number, title: string, isLoggedAsFault: boolean]>([
  [ApiError.of('unavailable', undefined, 7), 503, 'Too much at once', false],
  [ApiError.of('forbidden'), 403, 'That did not work', false],
  [new Error('secret'), 500, 'That did not work', true],
  [new IdentityProviderError('secret'), 502, 'The identity provider does not answer as it should', true],
])('an error is a page too, which does not show its cause: %s', async (error, status, title, isLoggedAsFault) => {
  const { statusCode, body, headers } = await visit(async () => await Promise.reject(error));
  expect([statusCode, String(body).match(/<h1>(.*)<\/h1>/)?.[1], headers['retry-after']]).toEqual([
    ...[status, title, status === 503 ? '7' : undefined],
  ]);
  expect(body).toContain('href="/auth/sign-in"');
  expect(body).not.toContain('secret');
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8' });
  expect(logged).toEqual([isLoggedAsFault ? { line: 'failed', ...line, error } : { line: 'refused', ...line, status }]);
});

it('a request that is too long is refused', async () => {
  expect((await visit(undefined, { body: 'x'.repeat(21) })).statusCode).toBe(413);
  expect((await visit(undefined, { body: 'x'.repeat(20) })).statusCode).toBe(200);
});

it('what a page needs is opened by its first visit', async () => {
  const open = vi.fn(() => ({}));
  const handler = handlePage(PAGE, open, async () => DONE) as unknown as (...given: unknown[]) => Promise<unknown>;
  expect(open).toHaveBeenCalledTimes(0);
  for (let count = 0; count < 2; count += 1) await handler(anEvent(), aContext());
  expect(open.mock.calls).toEqual([[core]]);
});

it('a refused sign-in says why, in few words of others, and leads to another one', () => {
  const person = { subject: 'sub', role: undefined };
  const refused = refusedSignIn({ kind: 'refused', slot: '1', why: 'x'.repeat(301), returnTo: '/jobs?a=1' });
  const link = { path: '/auth/sign-in?fresh=1&return_to=%2Fjobs%3Fa%3D1' };
  expect(refused).toMatchObject({ status: 403, page: { paragraphs: [`It says: ${'x'.repeat(300)}`], link } });
  expect(refusedSignIn({ kind: 'unknown' })).toMatchObject({ status: 400, page: { link: { path: '/auth/sign-in' } } });
  const noRole = (email?: string) =>
    refusedSignIn({ kind: 'no-role', slot: '1', person: { ...person, email }, returnTo: '/' });
  expect(noRole()).toMatchObject({ status: 403, page: { paragraphs: [expect.stringContaining('signed in as sub,')] } });
  expect(noRole('a@b')).toMatchObject({ page: { paragraphs: [expect.stringContaining('signed in as a@b,')] } });
});

it('an output is answered with its text, or with the place where it is', () => {
  expect(redirectOr({ location: 'https://s3' })).toEqual({ status: 303, headers: { location: 'https://s3' } });
  const body = {} as never;
  expect(redirectOr({ body })).toEqual({ status: 200, body });
});
