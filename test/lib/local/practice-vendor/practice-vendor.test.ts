import { expect, onTestFinished, test } from 'vitest';
import { type PracticeVendor, startPracticeVendor } from '../../../../lib/local/practice-vendor/practice-vendor.ts';

async function start(): Promise<PracticeVendor> {
  const vendor = await startPracticeVendor();
  onTestFinished(() => vendor.close());
  return vendor;
}

function call(
  vendor: PracticeVendor,
  path: string,
  options: { method?: string; body?: unknown; key?: string; signal?: AbortSignal } = {},
) {
  const { method = 'GET', body, key = vendor.apiKey, signal } = options;
  return fetch(new URL(path, vendor.baseUrl), {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
}

function user(text: string) {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

function post(vendor: PracticeVendor, input: readonly unknown[], signal?: AbortSignal) {
  return call(vendor, '/v1/responses', {
    method: 'POST',
    body: { model: 'm', stream: true, input },
    ...(signal && { signal }),
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the events' shapes are what the assertions are about
async function events(answer: Response): Promise<any[]> {
  const blocks = (await answer.text()).trim().split('\n\n');
  return blocks.map((block) => JSON.parse(block.replace(/^event: .*\ndata: /, '')));
}

async function items(answer: Response) {
  return (await events(answer))
    .filter((event) => event.type === 'response.output_item.done')
    .map((event) => event.item);
}

test('it listens on loopback only and frees its port on close', async () => {
  const vendor = await startPracticeVendor();
  expect(vendor.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  const other = vendor.baseUrl.replace('127.0.0.1', '127.0.0.2');
  await expect(fetch(other)).rejects.toThrow('fetch failed');
  await vendor.close();
  await expect(call(vendor, '/v1/models')).rejects.toThrow('fetch failed');
  const again = await startPracticeVendor({ port: Number(new URL(vendor.baseUrl).port), apiKey: vendor.apiKey });
  expect(again).toMatchObject({ baseUrl: vendor.baseUrl, apiKey: vendor.apiKey });
  await again.close();
});

test("a wrong key is rejected in the vendor's shape, an unknown path is not found", async () => {
  const vendor = await start();
  for (const [method, path] of [
    ['POST', '/v1/responses'],
    ['GET', '/v1/models'],
    ['GET', '/practice/state'],
    ['PUT', '/practice/state'],
  ] as const) {
    const answer = await call(vendor, path, { method, key: 'wrong' });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_api_key', message: expect.any(String) } });
  }
  const lost = await call(vendor, '/v1/chat');
  expect(lost.status).toBe(404);
  expect(await lost.json()).toMatchObject({ error: { message: 'The practice vendor has no GET /v1/chat.' } });
  expect(await (await call(vendor, '/v1/models')).json()).toMatchObject({ models: [] });
});

test.for(['{', '[]', '{"input": 3}'])('an invalid body is rejected: %s', async (body) => {
  const answer = await call(await start(), '/v1/responses', { method: 'POST', body });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
});

test('a state is stored, shown and rejects every request while it is set', async () => {
  const vendor = await start();
  function put(body: unknown) {
    return call(vendor, '/practice/state', { method: 'PUT', body });
  }
  const hello = [user('drill: follow-up 1')];
  expect(await (await call(vendor, '/practice/state')).json()).toEqual({
    usage_limit_until: null,
    logged_in: true,
  });

  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect(await (await put({ usage_limit_until: until })).json()).toEqual({ usage_limit_until: until, logged_in: true });
  const limited = await post(vendor, hello);
  expect(limited.status).toBe(429);
  expect(await limited.json()).toMatchObject({
    error: { type: 'usage_limit_reached', resets_at: Math.ceil(Date.parse(until) / 1_000) },
  });

  expect(await (await put({ logged_in: false })).json()).toEqual({ usage_limit_until: until, logged_in: false });
  expect((await post(vendor, hello)).status).toBe(401);
  await put({ usage_limit_until: new Date(Date.now() - 1_000).toISOString(), logged_in: true });
  expect((await post(vendor, hello)).status).toBe(200);

  for (const wrong of [{ usage_limit_until: 'soon' }, { logged_in: 'no' }, { loged_in: true }, []])
    expect((await put(wrong)).status).toBe(400);
});

test('usage grows with the text, counts at least one token and is the same each time', async () => {
  const vendor = await start();
  async function usage(text: string) {
    return (await events(await post(vendor, [user(text)]))).at(-1).response.usage;
  }
  const small = await usage('drill: follow-up 1');
  expect(small).toEqual(await usage('drill: follow-up 1'));
  const large = await usage(`drill: follow-up 1\n${'x'.repeat(4_000)}`);
  expect(large.input_tokens - small.input_tokens).toBeGreaterThanOrEqual(1_000);
  expect(small.output_tokens).toBeGreaterThan(0);
  expect(small.output_tokens_details.reasoning_tokens).toBe(0);
  expect(small.input_tokens_details.cached_tokens).toBeLessThanOrEqual(small.input_tokens);
  expect(small.total_tokens).toBe(small.input_tokens + small.output_tokens);
});

test('the last prompt counts, not what codex adds nor an earlier turn', async () => {
  const vendor = await start();
  const history = [
    user('drill: fail 500'),
    { type: 'function_call_output', call_id: 'practice_4_1', output: 'old' },
    user('drill: follow-up {"prompt":"x"}'),
    user('<environment_context>\ndrill: hang\n</environment_context>'),
  ];
  const [message] = await items(await post(vendor, history));
  expect(message.content[0].text).toMatch(/```follow-up-job\n\{"prompt":"x"\}\n```$/);
});

test('a command that still runs is waited for, whatever it prints', async () => {
  const vendor = await start();
  const prompt = user('drill: tool make');
  const [call] = await items(await post(vendor, [prompt]));
  expect(call).toMatchObject({ type: 'function_call', name: 'exec_command' });
  expect(JSON.parse(call.arguments)).toMatchObject({ cmd: 'make' });

  const running =
    'Chunk ID: 1\nWall time: 30.0 seconds\nProcess running with session ID 7391\nOriginal token count: 2\nOutput:\nhalf\n';
  const waiting = [prompt, call, { type: 'function_call_output', call_id: call.call_id, output: running }];
  const [poll] = await items(await post(vendor, waiting));
  expect(poll).toMatchObject({ type: 'function_call', name: 'write_stdin' });
  expect(JSON.parse(poll.arguments)).toMatchObject({ session_id: 7391, chars: '' });
  expect(poll.call_id).not.toBe(call.call_id);

  const ended =
    'Chunk ID: 2\nWall time: 1.0 seconds\nProcess exited with code 0\nOutput:\nProcess running with session ID 1\n';
  const [message] = await items(
    await post(vendor, [...waiting, poll, { type: 'function_call_output', call_id: poll.call_id, output: ended }]),
  );
  expect(message.content[0].text).toMatch(/half\nProcess running with session ID 1$/);
});

test('a refusal after other steps answers a separate request', async () => {
  const vendor = await start();
  const prompt = user('drill: flood 1KB\ndrill: fail 503');
  const [flood, call] = await items(await post(vendor, [prompt]));
  expect(flood.content[0].text).toHaveLength(1_000);
  expect(call).toMatchObject({ type: 'function_call', name: 'exec_command' });
  const back = [
    prompt,
    flood,
    call,
    { type: 'function_call_output', call_id: call.call_id, output: 'Process exited with code 0\nOutput:\n' },
  ];
  const answer = await post(vendor, back);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: { message: 'The practice vendor fails as asked (503)' } });
});

test('a refusal waits for a command that still runs', async () => {
  const vendor = await start();
  const prompt = user('drill: tool make\ndrill: fail 503');
  const [call] = await items(await post(vendor, [prompt]));
  const output = 'Process running with session ID 5\nOutput:\n';
  const answer = await post(vendor, [prompt, { type: 'function_call_output', call_id: call.call_id, output }]);
  expect(await items(answer)).toMatchObject([{ name: 'write_stdin' }]);
});

test('a sleeping model keeps the stream alive with events', async () => {
  const vendor = await start();
  const types = (await events(await post(vendor, [user('drill: sleep 0.05')]))).map((event) => event.type);
  // How many, the machine decides.
  const spoken = types.filter((type, at) => type !== 'keepalive' || types[at - 1] !== type);
  expect(spoken).toEqual(['response.created', 'keepalive', 'response.output_item.done', 'response.completed']);
});

test('a hanging response begins, and ends when the client disconnects or the vendor closes', async () => {
  const vendor = await start();
  const client = new AbortController();
  const left = await post(vendor, [user('drill: hang')], client.signal);
  const [first] = await Array.fromAsync(firstChunk(left));
  expect(first).toContain('response.created');
  client.abort();
  const cut = await post(vendor, [user('drill: hang')]);
  await vendor.close();
  await expect(cut.text()).rejects.toThrow('terminated');
});

async function* firstChunk(answer: Response): AsyncGenerator<string> {
  for await (const chunk of answer.body ?? []) {
    yield Buffer.from(chunk).toString();
    return;
  }
}

test('an unknown drill is answered with the list of drills', async () => {
  const [message] = await items(await post(await start(), [user('drill: explode')]));
  expect(message.content[0].text).toContain('no drill "explode"');
  expect(message.content[0].text).toContain('- drill: usage-limit [SECONDS]');
});

test('a large prompt is repeated to its two hundredth character, none of them halved', async () => {
  const vendor = await start();
  const prompt = `a${'😀'.repeat(250_000)}`;
  const [, , call] = await items(await post(vendor, [user(prompt)]));
  const output = {
    type: 'function_call_output',
    call_id: call.call_id,
    output: 'Process exited with code 0\nOutput:\n',
  };
  const [message] = await items(await post(vendor, [user(prompt), call, output]));
  expect(message.content[0].text).toMatch(/practice vendor/);
  expect(message.content[0].text.endsWith(`\n\na${'😀'.repeat(199)}`)).toBe(true);
});
