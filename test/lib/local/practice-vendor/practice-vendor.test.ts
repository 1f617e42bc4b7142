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

test('an unknown drill is answered with the list of drills', async () => {
  const [message] = await items(await post(await start(), [user('drill: explode')]));
  expect(message.content[0].text).toContain('no drill "explode"');
  expect(message.content[0].text).toContain('- drill: usage-limit [SECONDS]');
});
