import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  CallToolResultSchema,
  CancelledNotificationSchema,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Promptq } from '../../../lib/client/promptq.ts';
import { mcpServer } from '../../../lib/mcp/mcp-server.ts';

const ID = 'job_00000000000000000000000001';
const ENDED = {
  id: ID,
  status: 'SUCCEEDED',
  state_reason: { code: 'exited', message: '' },
  attempt: 1,
  terminal: true,
};
const ASKING = { ...ENDED, status: 'QUEUED', state_reason: { code: 'question', message: 'It asks.' }, terminal: false };

/** A service with one job, which ends once its question is no longer open. */
let service: Server;
let baseUrl: string;
/** The job ends with this request for its state, although its question is open. */
let endsAt: number;
let states: number;
/** How often the questions of the job were read. */
let reads: number;
let question: { state: 'open' | 'answered' | 'expired'; answer: string | null };

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const [last = ''] = /[a-z]+(?=\?|$)/.exec(request.url ?? '') ?? [];
  const asked = { id: 'q_1', job_id: ID, question: 'Which color?', options: [], default: null, ...question };
  if (last === 'status') states += 1;
  const state = question.state === 'open' && states < endsAt ? ASKING : ENDED;
  if (last === 'questions') {
    reads += 1;
    answer(200, { items: [asked] });
  } else if (last === 'status') answer(200, state);
  else if (last === 'result') answer(200, { ...ENDED, final_message: null, stdout: '', stderr: '', attachments: [] });
  else {
    const given = (await json(request)) as { answer: string };
    const refused = { request_id: 'r' };
    if (given.answer.trim() === '') return answer(400, { error: 'body.answer: is empty', ...refused });
    if (question.state !== 'open')
      return answer(400, { error: 'answer: it is not open', details: { state: 'SUCCEEDED' }, ...refused });
    question = { state: 'answered', answer: given.answer };
    answer(200, ENDED);
  }
}

beforeAll(async () => {
  service = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(service, 'listening');
  baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => void service.close());
beforeEach(() => {
  question = { state: 'open', answer: null };
  endsAt = Number.POSITIVE_INFINITY;
  states = 0;
  reads = 0;
});

/**
 * A client whose user replies to each question.
 * @param work gets a function that asks for the task's result, and why forms were closed
 */
async function withUser(
  reply: () => Promise<ElicitResult>,
  work: (result: () => Promise<unknown>, closed: readonly unknown[]) => Promise<void>,
): Promise<void> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler(ElicitRequestSchema, reply);
  const closed: unknown[] = [];
  client.setNotificationHandler(CancelledNotificationSchema, ({ params }) => void closed.push(params.reason));
  const server = mcpServer({
    version: '0',
    wire: 'stdio',
    era: 'legacy',
    client: async () => new Promptq({ baseUrl, token: 't' }),
    explain: async (error) => (error as Error).message,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far as Parameters<typeof server.connect>[0]);
  await client.connect(near);
  try {
    const options = { timeout: 200_000 };
    const result = async () => await client.experimental.tasks.getTaskResult(ID, CallToolResultSchema, options);
    await work(result, closed);
  } finally {
    await client.close();
    await server.close();
  }
}

const says = (answer: string): ElicitResult => ({ action: 'accept', content: { answer } });
const SUCCEEDED = { isError: false, structuredContent: { id: ID, status: 'SUCCEEDED' } };

it.each(['answered', 'expired'] as const)('a form closes once its question is %s elsewhere', async (state) => {
  const form = Promise.withResolvers<void>();
  const never = async () => {
    form.resolve();
    return await new Promise<never>(() => undefined);
  };
  await withUser(never, async (result, closed) => {
    const ended = result();
    await Promise.race([form.promise, ended]);
    question = { state, answer: null };
    expect(await ended).toMatchObject(SUCCEEDED);
    expect(closed).toEqual(['the question is no longer open']);
  });
});

it('an answer that the API refuses is an error, and the next request asks again', async () => {
  const replies = [says('   '), says('blue')];
  await withUser(
    async () => replies.shift() ?? { action: 'decline' },
    async (result) => {
      await expect(result()).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining('body.answer: is empty'),
      });
      expect(await result()).toMatchObject(SUCCEEDED);
      expect(question.answer).toBe('blue');
    },
  );
});

it('an answer that comes too late changes nothing', async () => {
  const late = async () => {
    question = { state: 'answered', answer: 'red' };
    return says('blue');
  };
  await withUser(late, async (result) => {
    expect(await result()).toMatchObject(SUCCEEDED);
    expect(question.answer).toBe('red');
  });
});

it.each<[string, ElicitResult]>([
  ['declines', { action: 'decline', content: { answer: 'blue' } }],
  ['cancels', { action: 'cancel' }],
  ['accepts without content', { action: 'accept' }],
])('a user who %s gives no answer, and the job is waited for', async (_, reply) => {
  const replies: ElicitResult[] = [];
  const once = async () => {
    replies.push(reply);
    endsAt = 1;
    return reply;
  };
  await withUser(once, async (result) => {
    expect(await result()).toMatchObject(SUCCEEDED);
    expect([question.answer, replies]).toEqual([null, [reply]]);
  });
});

it('a form that the client fails to show is an error of the request', async () => {
  const failing = async () => {
    throw new Error('no screen');
  };
  await withUser(failing, async (result) => {
    await expect(result()).rejects.toThrow('no screen');
  });
});

it('a user who has declined is not asked again while the question stays open, and its form is watched no longer', async () => {
  let asked = 0;
  const decline = async (): Promise<ElicitResult> => {
    asked += 1;
    return { action: 'decline' };
  };
  await withUser(decline, async (result) => {
    endsAt = 2;
    expect(await result()).toMatchObject(SUCCEEDED);
    // Read before each wait, and no more for the form, which has closed.
    expect([asked, reads]).toEqual([1, 2]);
  });
});
