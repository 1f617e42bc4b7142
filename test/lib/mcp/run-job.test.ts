import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Promptq } from '../../../lib/client/promptq.ts';
import { answerMcp } from '../../../lib/mcp/answer-request.ts';
import { TOOL_CALLS } from '../../../lib/mcp/tools.ts';

const ID = 'job_00000000000000000000000001';

/** A service that creates jobs and can't say anything about them. */
let service: Server;
let baseUrl: string;
let created = 0;
/** What it answers to an answer to a question. */
let refusal: object = {};
const failures: string[] = [];

beforeAll(async () => {
  service = createServer((request, response) => {
    request.resume();
    if (request.url?.endsWith('/answers')) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...refusal, request_id: 'r' }));
      return;
    }
    const isCreation = request.method === 'POST';
    if (isCreation) created += 1;
    response.writeHead(isCreation ? 201 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isCreation ? { id: ID, url: null } : { error: 'internal_error', request_id: 'r' }));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => void service.close());

async function call(params: Record<string, unknown>) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run_job', ...params } };
  const caller = { version: '0', baseUrl, token: 't', may: () => true, onFailure: (of: string) => failures.push(of) };
  const { body: answer } = await answerMcp({ body, headers: {} }, caller, () => false);
  return (answer as { result: Record<string, unknown> }).result;
}

it('run_job names the job that it has created although its state is unknown', async () => {
  const before = created;
  const result = await call({ arguments: { prompt: 'true' } });
  expect(result).toMatchObject({ structuredContent: { id: ID, message: `Job ${ID} exists. Call wait_for_job.` } });
  expect(result.isError).toBe(false);
  expect(created).toBe(before + 1);
});

it('so does a call that is to be a task', async () => {
  const before = created;
  const result = await call({ arguments: { prompt: 'true' }, task: { ttl: 1_000 } });
  expect(result).toMatchObject({ task: { taskId: ID, status: 'working' } });
  expect(created).toBe(before + 1);
});

it.each([
  ['says why the answer of its user is refused', {}, `body.answer: is empty. Job ${ID} exists. Call wait_for_job.`],
  ['ignores an answer that comes too late', { details: { state: 'RUNNING' } }, `Job ${ID} exists. Call wait_for_job.`],
])('run_job %s', async (_, more, message) => {
  refusal = { error: 'body.answer: is empty', ...more };
  const call = {
    client: new Promptq({ baseUrl, token: 't', retrySeconds: 0 }),
    wire: 'http' as const,
    signal: AbortSignal.timeout(60_000),
    canAsk: true,
    answer: { questionId: 'q_1', text: ' ' },
    jobId: ID,
    onFailure: async (error: unknown) => (error as Error).message,
  };
  expect(await TOOL_CALLS.run_job(call, {} as never)).toMatchObject({ message, fields: { id: ID } });
});
