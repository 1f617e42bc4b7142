import { expect, test } from 'vitest';
import { callOutput, items, message, openVendor, post, requests, user } from './model-client.ts';

test('the journal lists the requests of the model, oldest first, to the operator alone', async () => {
  const vendor = await openVendor();
  await items(await post(vendor, [user('drill: json {}')], { 'session-id': 's-1' }));
  await post(vendor, [user('drill: fail 503')]);
  await post(vendor, [user('drill: fail 503')]);
  await expect
    .poll(() => requests(vendor))
    .toMatchObject([
      { path: '/v1/responses', session: 's-1', prompt: 'drill: json {}', results: 0, status: 200, complete: true },
      { session: null, prompt: 'drill: fail 503', status: 503 },
      { session: null, prompt: 'drill: fail 503', status: 503 },
    ]);
  const [first, second, third] = await requests(vendor);
  expect(second?.digest).toBe(third?.digest);
  expect(first?.digest).not.toBe(second?.digest);
  const url = new URL('/practice/requests', vendor.baseUrl);
  expect((await fetch(url, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
});

test('the journal shows a request whose client left as incomplete', async () => {
  const vendor = await openVendor();
  const client = new AbortController();
  await post(vendor, [user('drill: hang')], {}, client.signal);
  expect(await requests(vendor)).toMatchObject([{ status: null, complete: false }]);
  client.abort();
  await expect.poll(() => requests(vendor)).toMatchObject([{ status: 200, complete: false }]);
});

test('a limit is met after its calls, until its time is over, and once for each run of a prompt', async () => {
  const vendor = await openVendor();
  const prompt = user('drill: limit-after 1 0.3');
  const [call] = await items(await post(vendor, [prompt]));
  const history = [prompt, call, callOutput(call, 'call 1 of 1\n')];
  const limited = await post(vendor, history);
  expect(limited.status).toBe(429);
  expect(await limited.json()).toMatchObject({ error: { type: 'usage_limit_reached', resets_at: expect.any(Number) } });
  expect((await post(vendor, history)).status).toBe(429);
  await expect.poll(async () => (await post(vendor, history)).status).toBe(200);
  expect((await post(vendor, history)).status).toBe(429);
});

test('a plain prompt before the answer resumes the turn, after the answer it begins another', async () => {
  const vendor = await openVendor();
  const prompt = user('drill: calls 2');
  const [call] = await items(await post(vendor, [prompt]));
  const resumed = [prompt, call, callOutput(call, 'aborted'), user('<turn_aborted>'), user('You were interrupted.')];
  const [next] = await items(await post(vendor, resumed));
  expect(next).toMatchObject({ type: 'function_call', arguments: expect.stringContaining('call 2 of 2') });
  const history = [...resumed, next, callOutput(next, 'call 2 of 2')];
  const [final] = await items(await post(vendor, history));
  expect(message(final)).toBe('The practice vendor made 2 tool calls.');
  const [again] = await items(await post(vendor, [...history, final, user('hello')]));
  expect(again).toMatchObject({ type: 'reasoning' });
});

test('the model recalls every prompt of its session, one a line', async () => {
  const vendor = await openVendor();
  const history = [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'rules of codex' }] },
    user('<environment_context>a</environment_context>'),
    user('first\nprompt'),
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'answer' }] },
    user('drill: recall'),
  ];
  const [final] = await items(await post(vendor, history));
  expect(message(final)).toBe('first prompt\ndrill: recall');
});
