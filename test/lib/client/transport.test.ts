import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Promptq } from '../../../lib/client/promptq.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A client whose requests are answered in turn. @returns the paths of the requests so far */
function answered(answers: readonly (() => Response)[], retrySeconds = 60) {
  vi.useRealTimers();
  const paths: string[] = [];
  vi.stubGlobal('fetch', async (target: Request | URL) => {
    const { pathname, search } = target instanceof URL ? target : new URL(target.url);
    const answer = answers[paths.push(`${pathname}${search}`) - 1];
    if (answer === undefined) throw new Error('there are more requests than answers');
    return answer();
  });
  return { client: new Promptq({ baseUrl: 'http://127.0.0.1', token: 't', retrySeconds }), paths };
}

test('a status is held for less time only after a cut, and for longer again after ten answers', async () => {
  const state = (status: string, terminal: boolean) => () =>
    Response.json({ status, state_reason: { code: 'exited' }, attempt: 1, terminal });
  const running = state('RUNNING', false);
  const busy = (status: number) => () => new Response(null, { status, headers: { 'retry-after': '0' } });
  const fails = (code: string) => () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  };
  const { client, paths } = answered([
    running,
    ...[busy(429), busy(503), fails('ECONNREFUSED'), running],
    ...[fails('ECONNRESET'), busy(504)],
    ...Array.from({ length: 10 }, () => running),
    state('SUCCEEDED', true),
  ]);
  await client.wait('job_1');
  const held = paths.slice(1).map((path) => Number(new URLSearchParams(path.split('?')[1]).get('wait')));
  const six = Array.from({ length: 10 }, () => 6);
  expect(held).toEqual([25, 25, 25, 25, 25, 12, ...six, 12]);
});

test('a followed log is an event stream, and anything else is not of the service', async () => {
  const portal = () => new Response('<p>Log in</p>', { headers: { 'content-type': 'text/html' } });
  const { client, paths } = answered([portal]);
  const events = client.follow('job_1');
  await expect(events.next()).rejects.toThrow(
    'not of a Promptq service: its content type is text/html; expected text/event-stream',
  );
  expect(paths).toHaveLength(1);
});

test.each([
  [
    'a redirect',
    () => Response.redirect('https://127.0.0.1/api/v1/jobs/job_1/result', 301),
    '; it redirects to https://127.0.0.1/api/v1/jobs/job_1/result',
  ],
  ['an empty answer', () => new Response(null, { headers: { 'content-length': '0' } }), ''],
])('%s is not of the service', async (_, answer, where) => {
  const { client, paths } = answered([answer]);
  const failure = await client.result('job_1').catch((error: Error) => error.message);
  expect([failure, paths.length]).toEqual([expect.stringMatching(/^the response \d+ is not of a Promptq service/), 1]);
  expect(failure).toContain(`service${where}`);
});

test('a file whose storage refuses its address is asked for again, by another address', async () => {
  const at = (path: string) => () =>
    new Response(null, { status: 303, headers: { location: `http://storage${path}` } });
  const expired = () => new Response('<Error><Code>AccessDenied</Code><Message>x</Message></Error>', { status: 403 });
  const { client, paths } = answered([
    at('/old?sig=1'),
    expired,
    at('/new?sig=2'),
    () => Response.json({ id: 'job_1' }),
  ]);
  expect(await client.result('job_1')).toEqual({ id: 'job_1' });
  const asked = '/api/v1/jobs/job_1/result';
  expect(paths).toEqual([asked, '/old?sig=1', asked, '/new?sig=2']);
});
