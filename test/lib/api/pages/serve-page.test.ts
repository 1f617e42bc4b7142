import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeEach, expect, it } from 'vitest';
import { IdentityProviderError } from '../../../../lib/access/sign-in/identity-provider-error.ts';
import type { LambdaAnswer } from '../../../../lib/api/answer.ts';
import { handlePage, type PageAnswer, type Visit } from '../../../../lib/api/pages/serve-page.ts';
import { ApiError } from '../../../../lib/contract/errors.ts';
import type { Door } from '../../../../lib/contract/route.ts';
import { aContext, anEvent, served } from '../served.ts';

const { known, logged, audited } = served();
beforeEach(() => {
  known.publicOrigin = 'https://own.example';
});

const PAGE: Door = {
  ...{
    id: 'auth.sign-in',
    method: 'GET',
    path: '/auth/sign-in',
    summary: '',
    auth: { kind: 'page' },
    mode: 'buffered',
  },
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

it('an action of a known person is audited, others are not', async () => {
  const principal = { kind: 'session', name: 'user:a', role: 'admin', sessionId: 's' } as const;
  await visit(async () => ({ location: '/', principal }));
  await visit();
  const entry = { actor: 'user:a', action: 'auth.sign-in', status: 303, sourceIp: '192.0.2.7', target: {} };
  expect(audited).toEqual([{ ...entry, requestId: 'request-1' }]);
  expect(logged[0]).toMatchObject({ status: 303, principal: 'user:a' });
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
