import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FormerHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { emptyHome, PROGRAM } from '../../bin/promptq/promptq-command.ts';
import { type Browser, signedInBrowser } from '../../local-run/browser.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { amount } from '../../vitest/amount.ts';

/** Jobs as tasks, and their questions as questions to the client's user, with both lines of the official client. */
const home = emptyHome();
let service: ServiceUnderTest;
let admin: Browser;
beforeAll(async () => {
  service = await sharedService();
  admin = await signedInBrowser(service, 'admin');
});

const ASK = { prompt: 'drill: ask Which color?' };
type Reply = { action: 'accept'; content: { answer: string } } | { action: 'decline' };
const BLUE: Reply = { action: 'accept', content: { answer: 'blue' } };

const onStdio = () => ({
  command: process.execPath,
  args: [PROGRAM, 'mcp'],
  env: {
    PATH: process.env.PATH ?? '',
    XDG_CONFIG_HOME: home,
    PROMPTQ_URL: service.baseUrl,
    PROMPTQ_TOKEN: service.token,
  },
});
const byHttp = (token = service.token): [URL, { requestInit: RequestInit }] => [
  new URL(`${service.baseUrl}/api/v1/mcp`),
  { requestInit: { headers: { authorization: `Bearer ${token}` } } },
];
const reader = async (name: string): Promise<string> =>
  (await admin.api('POST', '/tokens', { name, scopes: ['read'] })).json.token;
const answerTo = async (id: string) => (await service.api('GET', `/jobs/${id}/questions`)).json.items[0].answer;
const countOf = async (tag: string) => (await service.api('GET', `/jobs?tag=${tag}`)).json.total;

/** A connected client that has tasks, and what its user is asked. */
async function clientWithTasks(wire: 'stdio' | 'http', { reply, token }: { reply?: Reply; token?: string } = {}) {
  const asked: string[] = [];
  const capabilities = reply === undefined ? {} : { elicitation: { form: {} } };
  const client = new FormerClient({ name: 'test', version: '1' }, { capabilities });
  if (reply !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return reply;
    });
  const transport = wire === 'stdio' ? new FormerTransport(onStdio()) : new FormerHttpTransport(...byHttp(token));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  await client.listTools();
  return { client, asked };
}

/** Runs a job as a task, as a host does. @returns the last message, and the id of the task */
async function runTask(client: FormerClient, args: Record<string, unknown>) {
  const stream = client.experimental.tasks.callToolStream({ name: 'run_job', arguments: args }, CallToolResultSchema, {
    task: {},
    timeout: 120_000,
  });
  const messages = await Array.fromAsync(stream);
  const created = messages.find(({ type }) => type === 'taskCreated') as { task: { taskId: string } } | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  return { id: created?.task.taskId ?? '', last: messages.at(-1) as any, messages };
}

describe.each(amount(['http'] as const, ['stdio', 'http'] as const))('tasks by %s', (wire) => {
  let client: FormerClient;
  beforeAll(async () => {
    ({ client } = await clientWithTasks(wire));
  });
  afterAll(async () => await client.close());

  test('a task is a job: its id, its status, its result', async () => {
    const { id, last } = await runTask(client, { profile: 'shell', prompt: 'echo hi', tags: [`one-${wire}`] });
    expect(last).toMatchObject({
      type: 'result',
      result: {
        isError: false,
        structuredContent: { id, status: 'SUCCEEDED', stdout: 'hi\n' },
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: id } },
      },
    });
    expect(await countOf(`one-${wire}`)).toBe(1);
    expect(await client.experimental.tasks.getTask(id)).toMatchObject({ taskId: id, status: 'completed', ttl: null });
    const { tasks } = await client.experimental.tasks.listTasks();
    expect(tasks.map(({ taskId }) => taskId)).toContain(id);
  });

  test('a task that failed says why, and one that is cancelled stays so', async () => {
    const { tasks } = client.experimental;
    const failed = await runTask(client, { profile: 'shell', prompt: 'exit 3' });
    expect(failed.last).toMatchObject({ type: 'error' });
    expect(await tasks.getTask(failed.id)).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringContaining('Exit code 3'),
    });
    expect(await tasks.getTaskResult(failed.id, CallToolResultSchema)).toMatchObject({ isError: true });
    await expect(tasks.cancelTask(failed.id)).rejects.toMatchObject({ code: -32_602 });

    const call = { name: 'run_job', arguments: { profile: 'shell', prompt: 'sleep 600' } };
    const stream = tasks.callToolStream(call, CallToolResultSchema, { task: {} });
    const created = await stream.next();
    const { taskId } = (created.value as { task: { taskId: string } }).task;
    expect(await tasks.cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' });
    expect(await tasks.getTask(taskId)).toMatchObject({ status: 'cancelled' });
    const result = await waitFor(async () => tasks.getTaskResult(taskId, CallToolResultSchema).catch(() => undefined));
    expect(result).toMatchObject({ isError: true, structuredContent: { status: 'CANCELLED' } });
  });
});

test.for(amount<readonly ('http' | 'stdio')[]>(['http'], ['http', 'stdio']))(
  'a client that can ask nobody finds the question in the status, and answers by the tool (%s)',
  async (wire) => {
    const { client } = await clientWithTasks(wire);
    onTestFinished(async () => await client.close());
    const { id, last } = await runTask(client, ASK);
    expect(last).toMatchObject({ type: 'error', error: { message: expect.stringContaining('Which color?') } });
    expect(await client.experimental.tasks.getTask(id)).toMatchObject({
      status: 'input_required',
      statusMessage: expect.stringContaining('Which color?'),
    });
    const { items } = (await client.callTool({ name: 'list_questions', arguments: { id } })).structuredContent as {
      items: { id: string }[];
    };
    const answer = { id, question_id: items[0]?.id, answer: 'green' };
    await client.callTool({ name: 'answer_question', arguments: answer });
    await waitFor(async () => (await client.experimental.tasks.getTask(id)).status === 'completed');
    expect(await client.experimental.tasks.getTaskResult(id, CallToolResultSchema)).toMatchObject({ isError: false });
    expect(await answerTo(id)).toBe('green');
  },
);

test("on stdio, a task's question is asked of the client's user", async () => {
  const { client, asked } = await clientWithTasks('stdio', { reply: BLUE });
  onTestFinished(async () => await client.close());
  const { id, last, messages } = await runTask(client, ASK);
  expect(asked).toEqual([`The agent of job ${id} asks: Which color?`]);
  expect(messages).toContainEqual(
    expect.objectContaining({ task: expect.objectContaining({ status: 'input_required' }) }),
  );
  expect(last).toMatchObject({ type: 'result', result: { structuredContent: { status: 'SUCCEEDED' } } });
  expect(await answerTo(id)).toBe('blue');
});

const NEWER = {
  'on stdio': (_token?: string) => ({ transport: new StdioClientTransport(onStdio()), options: {} }),
  'by HTTP, 2026-07-28': (token?: string) => ({
    transport: new StreamableHTTPClientTransport(...byHttp(token)),
    options: { versionNegotiation: { mode: { pin: '2026-07-28' as const } } },
  }),
};

/** The lines that each commit tries: what is asked of the user does not depend on them. */
const LINES = amount(['by HTTP, 2026-07-28'], Object.keys(NEWER));
const TRIED = Object.entries(NEWER).filter(([line]) => LINES.includes(line));

describe.each(TRIED)('@modelcontextprotocol/client %s', (line, wire) => {
  async function withUser(
    reply: Reply,
    work: (client: Client, asked: string[]) => Promise<void>,
    token?: string,
  ): Promise<void> {
    const asked: string[] = [];
    const { transport, options } = wire(token);
    const capabilities = { elicitation: { form: {} } };
    const client = new Client({ name: 'test', version: '1' }, { ...options, capabilities });
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return reply;
    });
    await client.connect(transport);
    try {
      await work(client, asked);
    } finally {
      await client.close();
    }
  }
  const call = async (client: Client, name: string, args: Record<string, unknown>) =>
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
    (await client.callTool({ name, arguments: args }, { timeout: 120_000 })) as any;

  test('a tool returns input_required for a question, its user answers, and one job has run', async () => {
    await withUser(BLUE, async (client, asked) => {
      const tag = line.replaceAll(/\W/g, '-');
      let result = await call(client, 'run_job', { ...ASK, tags: [tag] });
      const { id } = result.structuredContent;
      while (!result.structuredContent.status.startsWith('SUCC')) {
        expect(result.isError).toBe(false);
        await call(client, 'wait_for_job', { id });
        result = await call(client, 'job_result', { id });
      }
      expect(asked).toEqual([`The agent of job ${id} asks: Which color?`]);
      expect(await answerTo(id)).toBe('blue');
      expect(await countOf(tag)).toBe(1);
    });
  });

  test('a user who declines is asked once a call, and the question stays open', async () => {
    await withUser({ action: 'decline' }, async (client, asked) => {
      const { id } = (await call(client, 'create_job', ASK)).structuredContent;
      await waitFor(async () => (await service.api('GET', `/jobs/${id}`)).json.state_reason.code === 'question');
      const waited = await call(client, 'wait_for_job', { id });
      expect(waited).toMatchObject({
        isError: false,
        structuredContent: { message: expect.stringContaining('list_questions') },
      });
      expect(asked).toHaveLength(1);
      // By HTTP, the scopes of the token are known before its user is asked.
      if (line !== 'on stdio')
        await withUser(
          BLUE,
          async (one, others) => {
            expect(await call(one, 'wait_for_job', { id })).toMatchObject({ isError: false });
            expect(others).toEqual([]);
          },
          await reader('reader of questions'),
        );
      expect((await service.api('GET', `/jobs/${id}/questions`)).json.items).toMatchObject([{ state: 'open' }]);
      await service.api('POST', `/jobs/${id}/cancel`);
    });
  });
});

describe('a result that one request by HTTP does not await', () => {
  const post = async (accept: string, id: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tasks/result', params: { taskId: id } });
    const [url, { requestInit }] = byHttp();
    const headers = { ...requestInit.headers, accept, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body });
    return { type: response.headers.get('content-type'), text: await response.text() };
  };
  const resume = async (eventId?: string) => {
    const [url, { requestInit }] = byHttp();
    const headers = {
      ...requestInit.headers,
      accept: 'text/event-stream',
      ...(eventId && { 'last-event-id': eventId }),
    };
    const response = await fetch(url, { headers });
    if (response.ok) expect(response.headers.get('cache-control')).toContain('no-transform');
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  const BOTH = 'application/json, text/event-stream';
  const UNANSWERED = /^id: (\S+)\nretry: 2000\ndata:\n\n$/;

  /** A job that waits for a person, so that a request for its result does not wait. */
  async function stopped(): Promise<string> {
    const go = join(home, randomUUID());
    const prompt = `until [ -e '${go}' ]; do sleep 0.1; done; exit 3`;
    const before = (await service.api('POST', '/jobs', { profile: 'shell', prompt })).json.id;
    const { id } = (await service.api('POST', '/jobs', { continue: before, prompt: 'echo after all' })).json;
    await writeFile(go, '');
    await waitFor(async () => (await service.api('GET', `/jobs/${id}`)).json.state_reason.code === 'thread_stopped');
    return id;
  }

  test('is an event stream that its client resumes until there is an answer', async () => {
    const id = await stopped();
    const first = await post(BOTH, id);
    expect(first).toEqual({ type: 'text/event-stream', text: expect.stringMatching(UNANSWERED) });
    const [, eventId = ''] = UNANSWERED.exec(first.text) ?? [];
    const second = await resume(eventId);
    expect(second).toMatchObject({ status: 200, type: 'text/event-stream', text: expect.stringMatching(UNANSWERED) });
    expect(second.text).not.toBe(first.text);
    await service.api('POST', `/jobs/${id}/submit`);
    const last = await waitFor(async () => {
      const { text } = await resume(eventId);
      return UNANSWERED.test(text) ? undefined : text;
    });
    const [, data = ''] = /^id: end\ndata: (.*)\n\n$/.exec(last) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      id: 7,
      result: { structuredContent: { id, status: 'SUCCEEDED', stdout: 'after all\n' } },
    });
  });

  test('is an error for a client that takes no event stream, and nothing else can be resumed', async () => {
    const id = await stopped();
    expect((await post('application/json', id)).text).toContain('call tasks/result again');
    expect(await resume(undefined)).toMatchObject({ status: 405 });
    for (const eventId of ['end', 'e30']) expect(await resume(eventId)).toMatchObject({ status: 404 });
    const unknown = Buffer.from(JSON.stringify({ task: 'job_none', id: 1, times: 1 })).toString('base64url');
    expect((await resume(unknown)).text).toContain('job_not_found');
    await service.api('POST', `/jobs/${id}/cancel`);
  });
});
