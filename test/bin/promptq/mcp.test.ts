import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../lib/contract/routes/routes.ts';
import { ROUTES_WITHOUT_TOOL } from '../../../lib/mcp/routes-without-tool.ts';
import { TOOLS } from '../../../lib/mcp/tool-table.ts';
import { signedInBrowser } from '../../local-run/browser.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { startUnreliableProxy, type UnreliableProxy } from '../../stand-ins/unreliable-proxy.ts';
import { isLongRun } from '../../vitest/amount.ts';
import { CONNECT, type Connection } from './mcp-client.ts';
import { commandsOf, emptyHome, startPromptq } from './promptq-command.ts';

const home = emptyHome();
let service: ServiceUnderTest;
let proxy: UnreliableProxy;
beforeAll(async () => {
  service = await sharedService();
  proxy = await startUnreliableProxy(service.baseUrl, {});
});
afterAll(async () => {
  await proxy.stop();
});

const env = (more: Record<string, string> = {}) => ({
  XDG_CONFIG_HOME: home,
  PROMPTQ_URL: service.baseUrl,
  PROMPTQ_TOKEN: service.token,
  ...more,
});

test('every route is called by a tool, or listed with the reason why not', () => {
  const called = new Set<string>(TOOLS.flatMap((tool) => [...tool.routes]));
  const ids = routes.map(({ id }) => id as string);
  expect([...called].filter((id) => !ids.includes(id))).toEqual([]);
  expect(ids.filter((id) => !called.has(id)).toSorted()).toEqual(Object.keys(ROUTES_WITHOUT_TOOL).toSorted());
});

const LINES = Object.keys(CONNECT);

describe.each(LINES)('an agent with %s', (line) => {
  const connect = async (more?: Record<string, string>): Promise<Connection> =>
    (await CONNECT[line]?.(env(more))) as Connection;
  let shared: Connection;
  beforeAll(async () => {
    shared = await connect();
  });
  afterAll(async () => expect(await shared.close()).not.toContain(service.token));
  /** @param more of the environment of a server that no other test has */
  const withServer = async (work: (agent: Connection) => Promise<void>, more?: Record<string, string>) => {
    if (more === undefined) return await work(shared);
    const agent = await connect(more);
    try {
      await work(agent);
    } finally {
      const printed = await agent.close();
      expect(printed).not.toContain(service.token);
    }
  };
  const waitFor = async (agent: Connection, id: string) => await agent.call('wait_for_job', { id });

  test('finds the tools, with the arguments of their routes', async () => {
    await withServer(async (agent) => {
      const tools = await agent.tools();
      expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
      const schemas = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema]));
      expect(schemas).toMatchObject({
        create_job: { required: ['prompt'], additionalProperties: false, properties: { retries: { maximum: 100 } } },
        job_logs: { required: ['id'], properties: { limit: { type: 'integer', maximum: 65_536 } } },
        list_jobs: { properties: { status: { enum: expect.arrayContaining(['FAILED']) } } },
      });
      for (const { description } of tools) expect(description?.length).toBeGreaterThan(60);
    });
  });

  test('creates a job once, waits for it, reads its answer and its output in parts, and finds it', async () => {
    await withServer(async (agent) => {
      const job = { profile: 'shell', prompt: 'echo one; echo zwölf', title: line, idempotency_key: line };
      const { structuredContent: created, content } = await agent.call('create_job', job);
      expect(JSON.parse(content[0].text)).toEqual(created);
      const { id } = created;
      expect((await agent.call('create_job', job)).structuredContent.id).toBe(id);
      const ended = await waitFor(agent, id);
      expect(ended).toMatchObject({ isError: false, structuredContent: { status: 'SUCCEEDED' } });
      expect((await agent.call('job_status', { id })).structuredContent.terminal).toBe(true);
      const result = (await agent.call('job_result', { id })).structuredContent;
      expect(result).toMatchObject({ status: 'SUCCEEDED', stdout: 'one\nzwölf\n', answer_truncated: false });

      const part = async (args: object) =>
        (await agent.call('job_logs', { id, stream: 'stdout', ...args })).structuredContent;
      const first = await part({ offset: 0, limit: 7 });
      expect([first.stdout, first.next_offset, first.stdout_truncated]).toEqual(['one\nzw', 6, true]);
      expect(first.stdout + (await part({ offset: first.next_offset })).stdout).toBe('one\nzwölf\n');
      expect((await part({ limit: 4 })).stdout).toBe('lf\n');
      const { items } = (await agent.call('list_jobs', { search: `"${line}"`, limit: 5 })).structuredContent;
      expect(items.map((item: { id: string }) => item.id)).toContain(id);
    });
  });

  // What a tool answers does not depend on the line of the client.
  if (line !== LINES[0] && !isLongRun) return;

  test('learns to wait again, and cancels', async () => {
    await withServer(async (agent) => {
      const { id } = (await agent.call('create_job', { profile: 'shell', prompt: 'sleep 600' })).structuredContent;
      const waited = await agent.call('wait_for_job', { id, timeout_seconds: 1 });
      expect(waited).toMatchObject({ isError: false, structuredContent: { terminal: false } });
      expect(waited.structuredContent.message).toContain('Call wait_for_job again');
      expect(await agent.call('cancel_job', { id })).toMatchObject({ isError: false });
      const ended = await waitFor(agent, id);
      expect(ended).toMatchObject({ isError: true, structuredContent: { status: 'CANCELLED' } });
    });
  });

  test('learns what is wrong with its call, its token or the service', async () => {
    const admin = await signedInBrowser(service, 'admin');
    const reader = (await admin.api('POST', '/tokens', { name: 'a reader', scopes: ['read'] })).json.token;
    const failure = async (name: string, args: object, more?: Record<string, string>) => {
      let answer: { isError: boolean; content: { text: string }[] } | undefined;
      await withServer(async (agent) => {
        answer = await agent.call(name, args);
      }, more);
      expect(answer?.isError).toBe(true);
      return answer?.content[0]?.text ?? '';
    };
    expect(await failure('job_status', { id: 'job_none' })).toContain('job_not_found');
    expect(await failure('create_job', { prompt: ' ' })).toContain('whitespace');
    expect(await failure('create_job', {})).toContain('prompt');
    expect(await failure('job_logs', { id: 'x', limit: 70_000 })).toContain('limit');
    expect(await failure('create_job', { prompt: 'x' }, { PROMPTQ_TOKEN: reader })).toContain('lacks the scope write');
    expect(await failure('list_jobs', {}, { PROMPTQ_TOKEN: 'none' })).toContain('does not accept the token');
    expect(await failure('list_jobs', {}, { PROMPTQ_URL: await deadUrl() })).toContain("can't reach the service");
    expect(await failure('list_jobs', {}, { PROMPTQ_TOKEN: '' })).toContain('promptq login');
  });
});

test('a tool calls only its routes, and stdout holds nothing but the protocol', async () => {
  const { promptq } = commandsOf(() => service, home);
  const id = (await promptq('run', '--detach', '--profile', 'shell', 'true')).stdout.trim();
  const agent = (await CONNECT['@modelcontextprotocol/client']?.(env({ PROMPTQ_URL: proxy.url }))) as Connection;
  const paths = (from: number) =>
    proxy.requests.slice(from).map((request) =>
      request
        .replace(/job_\w+/, '{id}')
        .replace(/attachments\/.+/, 'attachments/{name}')
        .replace(/diagrams\/.+/, 'diagrams/{name}')
        .replace('/api/v1', '')
        .replace(/\?.*/, ''),
    );
  for (const { name, routes: declared } of TOOLS) {
    const from = proxy.requests.length;
    const args = {
      create_job: { profile: 'shell', prompt: 'true' },
      run_job: { profile: 'shell', prompt: 'true' },
      continue_job: { id, prompt: 'true' },
      fork_job: { id, prompt: 'true' },
      answer_question: { id, question_id: 'q_none', answer: 'yes' },
      send_message: { id, text: 'hi' },
      list_jobs: {},
      list_profiles: {},
      list_diagrams: {},
      read_diagram: { name: 'none' },
      keep_diagram: { name: 'kept-by-agent', text: 'pie' },
      list_templates: {},
      run_template: { template: 'none' },
      read_file: { id, path: 'none' },
    }[name as string] ?? { id };
    await agent.call(name, args);
    const allowed = routes.filter((route) => (declared as readonly string[]).includes(route.id));
    expect(paths(from).length).toBeGreaterThan(0);
    expect(allowed.map(({ method, path }) => `${method} ${path}`)).toEqual(expect.arrayContaining(paths(from)));
  }
  expect(await agent.close()).toBe('');
});

test('the server ends with its stdin', async () => {
  expect(await startPromptq(['mcp'], { env: env() }).ended).toEqual({ code: 0, stdout: '', stderr: '' });
});

async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}
