import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerMcp } from '../../../lib/mcp/answer-request.ts';

const ID = 'job_00000000000000000000000001';

/** A service that creates jobs and can't say anything about them. */
let service: Server;
let baseUrl: string;
let created = 0;
const failures: string[] = [];

beforeAll(async () => {
  service = createServer((request, response) => {
    const isCreation = request.method === 'POST';
    if (isCreation) created += 1;
    request.resume();
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
