import { beforeAll, describe, expect, test } from 'vitest';
import { TOOLS } from '../../../lib/mcp/tool-table.ts';
import { CONNECT, CONNECT_HTTP, type Connection } from '../../bin/promptq/mcp-client.ts';
import { emptyHome } from '../../bin/promptq/promptq-command.ts';
import { type Browser, signedInBrowser } from '../../local-run/browser.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { amount } from '../../vitest/amount.ts';
import { createJob, untilEnded } from '../job-client.ts';

const home = emptyHome();
let service: ServiceUnderTest;
let admin: Browser;
beforeAll(async () => {
  service = await sharedService();
  admin = await signedInBrowser(service, 'admin');
});

const tokenWith = async (name: string, ...scopes: string[]): Promise<string> =>
  (await admin.api('POST', '/tokens', { name, scopes })).json.token;
const env = (token = service.token) => ({
  XDG_CONFIG_HOME: home,
  PROMPTQ_URL: service.baseUrl,
  PROMPTQ_TOKEN: token,
});
const post = async (body: unknown, headers?: Record<string, string>) =>
  await service.api('POST', '/mcp', body, headers);
const request = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) });

const CONNECTIONS = [
  ...Object.entries(CONNECT).map(([line, connect]) => [`${line} on stdio`, connect] as const),
  ...Object.entries(CONNECT_HTTP).map(([line, connect]) => [`${line} by HTTP`, connect] as const),
];

async function withAgent(
  connect: (typeof CONNECT)[string] | undefined,
  work: (agent: Connection) => Promise<void>,
  token?: string,
): Promise<void> {
  const agent = await connect?.(env(token));
  if (agent === undefined) throw new Error('there is no such client');
  try {
    await work(agent);
  } finally {
    await agent.close();
  }
}

/** A question takes two runs of an agent. The long run has each connection ask one. */
const ASKING = amount([CONNECTIONS.length - 1], [...CONNECTIONS.keys()]).flatMap((at) => CONNECTIONS.slice(at, at + 1));

test.each(ASKING)(
  'an agent with %s delegates a job, answers its question and reads its result',
  async (line, connect) => {
    await withAgent(connect, async (agent) => {
      const created = await agent.call('create_job', { prompt: 'drill: ask Which color?', idempotency_key: line });
      const { id } = created.structuredContent;
      let waited = await agent.call('wait_for_job', { id });
      while (!/question/.test(waited.structuredContent.message)) waited = await agent.call('wait_for_job', { id });
      const { items } = (await agent.call('list_questions', { id })).structuredContent;
      expect(items).toMatchObject([{ question: 'Which color?', state: 'open' }]);
      await agent.call('answer_question', { id, question_id: items[0].id, answer: 'blue' });
      const ended = await waitFor(async () => {
        const state = await agent.call('wait_for_job', { id });
        return state.structuredContent.terminal && state;
      });
      expect(ended).toMatchObject({ isError: false, structuredContent: { status: 'SUCCEEDED' } });
      const result = await agent.call('job_result', { id });
      expect(result).toMatchObject({ isError: false, structuredContent: { status: 'SUCCEEDED' } });
      expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    });
  },
);

describe.each(Object.entries(CONNECT_HTTP))('by HTTP, an agent with %s', (line, connect) => {
  const names = async (token?: string) => {
    let found: readonly string[] = [];
    await withAgent(
      connect,
      async (agent) => {
        found = (await agent.tools()).map(({ name }) => name);
      },
      token,
    );
    return found;
  };

  test('lists the tools that its scopes allow, and the routes refuse others', async () => {
    expect(await names()).toEqual(TOOLS.map(({ name }) => name));
    const reader = await tokenWith(`reader ${line}`, 'read');
    expect(await names(reader)).toEqual([
      ...['wait_for_job', 'job_status', 'read_job', 'list_questions', 'list_jobs', 'list_diagrams', 'read_diagram'],
      ...['list_templates', 'list_profiles'],
    ]);
    await withAgent(
      connect,
      async (agent) => {
        await expect(agent.call('create_job', { prompt: 'x' })).rejects.toThrow('create_job');
        const failure = await agent.call('job_status', { id: 'job_none' });
        expect(failure).toMatchObject({ isError: true });
        expect(failure.content[0].text).toContain('job_not_found');
      },
      reader,
    );
  });

  test('waits no longer than API Gateway does', async () => {
    await withAgent(connect, async (agent) => {
      const schemas = Object.fromEntries((await agent.tools()).map(({ name, inputSchema }) => [name, inputSchema]));
      expect(schemas).toMatchObject({
        wait_for_job: { properties: { timeout_seconds: { maximum: 20, description: expect.stringContaining('20') } } },
      });
      const tooLong = await agent.call('wait_for_job', { id: 'x', timeout_seconds: 21 });
      expect(tooLong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('timeout_seconds') }] });
    });
  });

  test('connects with a token only', async () => {
    await expect(connect(env('none'))).rejects.toThrow();
  });
});

test('the audit log names the caller for actions of a tool', async () => {
  const token = await tokenWith('agent of the audit', 'read', 'write');
  const id = await createJob(service, { profile: 'shell', prompt: 'sleep 600' });
  const body = request('tools/call', { name: 'cancel_job', arguments: { id } });
  expect((await post(body, { authorization: `Bearer ${token}` })).json.result).toMatchObject({ isError: false });
  const { items } = (await service.api('GET', '/audit-logs?limit=5&action=jobs.cancel')).json;
  expect(items[0]).toMatchObject({ actor: 'token:agent of the audit', target: { id }, status: 200 });
});

test('tools call the service itself, whatever the request names as its host', async () => {
  const headers = {
    'x-forwarded-host': 'elsewhere.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=e.example',
  };
  const { json } = await post(request('tools/call', { name: 'list_jobs', arguments: {} }), headers);
  expect(json.result).toMatchObject({ isError: false });
});

test('a token without the scope read is refused', async () => {
  const writer = await tokenWith('writer', 'write');
  expect(await post(request('ping'), { authorization: `Bearer ${writer}` })).toMatchObject({
    status: 403,
    json: { error: 'forbidden', details: { required_scope: 'read' } },
  });
});

test("a batch and an invalid message are refused with the protocol's errors", async () => {
  expect(await post(request('ping'))).toMatchObject({ status: 200, json: { jsonrpc: '2.0', id: 1, result: {} } });
  expect(await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({ status: 202, text: '' });
  expect(await post([request('ping'), request('ping')])).toMatchObject({ status: 400 });
  expect(await post(request('ping'), { 'mcp-protocol-version': '2019-01-01' })).toMatchObject({
    status: 400,
    json: { jsonrpc: '2.0', error: { message: expect.stringContaining('2019-01-01') } },
  });
  expect((await post(request('no/such'))).json).toMatchObject({ error: { code: -32_601 } });
});

test('no answer is a stream: subscriptions and sessions are refused', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });
  const listen = request('subscriptions/listen', { _meta, notifications: { toolsListChanged: true } });
  expect((await post(listen, headers('subscriptions/listen'))).json).toMatchObject({ error: { code: -32_603 } });
  expect(await post(request('no/such', { _meta }), headers('no/such'))).toMatchObject({
    status: 404,
    json: { error: { code: -32_601 } },
  });
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const { status, headers: given, json } = await service.api(method, '/mcp');
    expect([status, given.get('allow'), json.error]).toEqual([405, 'POST', 'method_not_allowed']);
  }
});

test('a long output is read in answers of at most 100,000 bytes', async () => {
  const line = `\\e[32m"${'x'.repeat(58)}\\n`;
  const script = `for i in $(seq 2000); do printf '${line}'; printf '${line}' >&2; done`;
  const id = await createJob(service, { prompt: script, profile: 'shell' });
  await untilEnded(service, id);
  const read = async (args: object) => {
    const { text, json } = await post(
      request('tools/call', { name: 'job_logs', arguments: { id, limit: 65_536, ...args } }),
    );
    expect(text.length).toBeLessThan(100_500);
    return json.result.structuredContent;
  };
  expect((await read({})).stderr.length).toBeGreaterThan(10_000);
  let stdout = '';
  for (let offset = 0; offset < 65 * 2_000; ) {
    const logs = await read({ stream: 'stdout', offset });
    stdout += logs.stdout;
    offset = logs.next_offset;
  }
  expect(stdout).toBe(`\u001b[32m"${'x'.repeat(58)}\n`.repeat(2_000));
});

test('an agent keeps a diagram, finds it, and reads it in parts', async () => {
  const call = async (name: string, args: object) =>
    (await post(request('tools/call', { name, arguments: { project: 'kept-by-agents', ...args } }))).json.result;
  const text = `flowchart LR\n${Array.from({ length: 900 }, (_, at) => `  n${at} --> n${at + 1}\n`).join('')}`;
  const kept = await call('keep_diagram', { name: 'chain', text });
  expect(kept.structuredContent).toMatchObject({ name: 'chain', bytes: text.length });
  expect((await call('list_diagrams', {})).structuredContent.items).toMatchObject([{ name: 'chain' }]);
  let read = '';
  for (let offset: number | null = 0; offset !== null; ) {
    const part: { text: string; next_offset: number | null } = (await call('read_diagram', { name: 'chain', offset }))
      .structuredContent;
    read += part.text;
    offset = part.next_offset;
  }
  expect(read).toBe(text);
  expect(await call('read_diagram', { name: 'none' })).toMatchObject({ isError: true });
});

test('an agent reads the files, the diff and the profiles in answers of at most 8,000 bytes', async () => {
  const read = async (name: string, args: object) => {
    const { text, json } = await post(request('tools/call', { name, arguments: args }));
    return { answered: text.length, ...json.result, ...json.result.structuredContent };
  };
  const script =
    'seq 5000 > numbers; printf "a\\0b" > binary; for i in $(seq 300); do : > "file $i"; done; ln -s / link';
  const id = await createJob(service, { prompt: script, profile: 'shell' });
  await untilEnded(service, id);
  const paths: string[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const list = await read('list_files', { id, offset });
    expect(list.answered).toBeLessThan(8_400);
    for (const { path } of list.items) paths.push(path);
    offset = list.next_offset;
  }
  expect([paths.length, new Set(paths).size]).toEqual([303, 303]);

  const first = await read('read_file', { id, path: 'numbers' });
  expect([first.answered < 8_400, first.text.startsWith('1\n2\n')]).toEqual([true, true]);
  const rest = await read('read_file', { id, path: 'numbers', offset: first.next_offset, limit: 40_000 });
  const whole = Array.from({ length: 5_000 }, (_, at) => `${at + 1}\n`).join('');
  expect([first.text + rest.text, rest.next_offset]).toEqual([whole, null]);
  const faults = ['binary', 'link', 'none'].map(async (path) => (await read('read_file', { id, path })).message);
  expect(await Promise.all(faults)).toEqual([
    'binary is no text. A person can download it.',
    'link is not kept: link. list_files names the files.',
    'none is no file of the job. list_files names the files.',
  ]);
  expect((await read('read_diff', { id })).message).toContain('no diff');
  const { items } = await read('list_profiles', {});
  expect(items).toContainEqual(expect.objectContaining({ name: 'shell', agent: 'shell', is_default: false }));
});
