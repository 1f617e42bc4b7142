import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Promptq } from '../../../lib/client/promptq.ts';
import { answerMcp } from '../../../lib/mcp/answer-request.ts';
import { mcpServer } from '../../../lib/mcp/mcp-server.ts';
import type { Wire } from '../../../lib/mcp/tool-table.ts';

const ID = 'job_00000000000000000000000001';

/** A service that creates jobs and can't say anything about them. */
let service: Server;
let baseUrl: string;
let created = 0;
/** What it answers to an answer to a question. */
const refusal: object = {};
/** What it does before it creates a job. @returns whether it has answered, or never will */
let instead: (response: ServerResponse, body: string) => boolean;
/** What it knows about a job; undefined: nothing. */
let state: object | undefined;
const failures: string[] = [];

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const answer = (status: number, value: object) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (request.url?.endsWith('/answers')) return answer(400, { ...refusal, request_id: 'r' });
  if (request.method === 'POST') {
    if (instead(response, body)) return;
    created += 1;
    return answer(201, { id: ID, url: null });
  }
  // Such a request is answered when the job ends.
  if (request.url?.includes('?wait=')) return;
  if (state === undefined) answer(404, { error: 'internal_error', request_id: 'r' });
  else answer(200, state);
}

beforeEach(() => {
  instead = () => false;
  state = undefined;
});
beforeAll(async () => {
  service = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(service, 'listening');
  baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
});

type Params = Readonly<Record<string, unknown>>;

async function call(params: Params) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run_job', ...params } };
  const caller = { version: '0', baseUrl, token: 't', may: () => true, onFailure: (of: string) => failures.push(of) };
  const { body: answer } = await answerMcp({ body, headers: {} }, caller);
  return (answer as { result: Record<string, unknown> }).result;
}

it('run_job names the job that it has created although its state is unknown', async () => {
  const before = created;
  const result = await call({ arguments: { prompt: 'true' } });
  expect(result).toMatchObject({ structuredContent: { id: ID, message: `Job ${ID} exists. Call wait_for_job.` } });
  expect(result.isError).toBe(false);
  expect(created).toBe(before + 1);
});

it('a result and logs warn of output that is not what the job wrote', async () => {
  const reason = { code: 'exited', message: '' };
  const states = { stdout_state: 'missing', stderr_state: 'complete', receipt_state: 'corrupt' };
  const result = { id: ID, status: 'SUCCEEDED', state_reason: reason, attempt: 1, final_message: null };
  state = { ...result, stdout: '', stderr: '', attachments: [], ...states, attachments_state: 'truncated' };
  const stdout = 'Warning: stdout is missing: it is not what the job wrote.';
  const record = 'Warning: the record of the attempt is corrupt: its final message is unknown.';
  const files = 'Warning: the list of attachments is truncated: it may not name all of them.';
  const { structuredContent } = await call({ name: 'job_result', arguments: { id: ID } });
  expect(structuredContent).toMatchObject({
    message: `The job succeeded. ${stdout} ${record} ${files}`,
    ...{ ...states, attachments_state: 'truncated' },
  });
  state = { id: ID, status: 'SUCCEEDED', attempt: 1, stream: 'all', stdout: '', stdout_state: 'missing' };
  const logs = await call({ name: 'job_logs', arguments: { id: ID } });
  expect(logs.structuredContent).toMatchObject({ message: `The job has ended. ${stdout}`, stdout_state: 'missing' });
});

describe('a call whose time is over before the service has answered', () => {
  /** The time limit of the call, which the test ends. */
  let limit: AbortController;
  const end = () => limit.abort(new DOMException('the time is over', 'TimeoutError'));

  beforeEach(() => {
    limit = new AbortController();
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) =>
      ms === 25_000 || ms === 55_000 ? limit.signal : timeout(ms),
    );
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  async function callOnStdio(params: Params, onRetry?: () => void) {
    const client = new Client({ name: 'test', version: '1' });
    const server = mcpServer({
      version: '0',
      wire: 'stdio',
      client: async (signal) => new Promptq({ baseUrl, token: 't', signal, onRetry }),
      explain: async (error) => (error as Error).message,
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far as Parameters<typeof server.connect>[0]);
    await client.connect(near);
    try {
      const result = await client.callTool(params as { name: string }, undefined, { timeout: 200_000 });
      return result as Record<string, unknown>;
    } finally {
      await client.close();
      await server.close();
    }
  }
  const messageOf = ({ structuredContent }: Record<string, unknown>) =>
    (structuredContent as { message: string }).message;

  const job = { arguments: { prompt: 'true' } };
  const next = { arguments: { prompt: 'true', id: ID } };
  it.each<[Wire, string, Params]>([
    ['stdio', 'create_job', job],
    ['stdio', 'run_job', job],
    ['http', 'create_job', job],
    ['http', 'run_job', job],
    ['http', 'continue_job', next],
    ['http', 'fork_job', next],
    ['http', 'send_message', { arguments: { text: 'hi', id: ID } }],
  ])('names, on %s, the idempotency key of %s %j', async (wire, name, params) => {
    let key = 'no request arrived';
    instead = (_, body) => {
      key = JSON.parse(body).idempotency_key;
      end();
      return true;
    };
    const result = await (wire === 'http' ? call : callOnStdio)({ name, ...params });
    expect(result.isError).toBe(true);
    expect(messageOf(result)).toContain('it is unknown whether the');
    expect(messageOf(result)).toContain(`the idempotency key ${key} does not repeat it`);
  });
});
