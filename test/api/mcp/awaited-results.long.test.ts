import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type OwnService, startService } from '../../local-run/local-service.ts';

let service: OwnService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const byHttp = (): [URL, { requestInit: RequestInit }] => [
  new URL(`${service.baseUrl}/api/v1/mcp`),
  { requestInit: { headers: { authorization: `Bearer ${service.token}` } } },
];

interface Job {
  readonly id: string;
  readonly status: string;
}

// Longer than the 20 seconds of a request, and shorter than the 60 seconds for which these clients wait by default.
test('a result that one request by HTTP does not await is awaited by the official clients with their default options', async () => {
  const script = { profile: 'shell', prompt: 'sleep 25; echo slept' };
  const slept = { isError: false, structuredContent: { status: 'SUCCEEDED', stdout: 'slept\n' } };
  const { id } = (await service.api('POST', '/jobs', script)).json;
  const newer = new Client({ name: 'test', version: '1' });
  await newer.connect(new StreamableHTTPClientTransport(...byHttp()));
  onTestFinished(async () => await newer.close());
  const former = new FormerClient({ name: 'test', version: '1' });
  const transport = new FormerHttpTransport(...byHttp());
  await former.connect(transport as Parameters<typeof former.connect>[0]);
  onTestFinished(async () => await former.close());
  await former.listTools();
  const { tasks } = former.experimental;
  const call = { name: 'run_job', arguments: script };
  const [result, messages] = await Promise.all([
    tasks.getTaskResult(id, CallToolResultSchema),
    Array.fromAsync(tasks.callToolStream(call, CallToolResultSchema, { task: {} })),
  ]);
  expect(result).toMatchObject(slept);
  expect(messages.at(-1)).toMatchObject({ type: 'result', result: slept });
  // It has no tasks. The answer asks the agent to wait again.
  let answer = (await newer.callTool({ name: 'run_job', arguments: script })).structuredContent as unknown as Job;
  const { id: job } = answer;
  while (answer.status !== 'SUCCEEDED') {
    const waited = await newer.callTool({ name: 'wait_for_job', arguments: { id: job } });
    answer = waited.structuredContent as unknown as Job;
  }
  expect(await newer.callTool({ name: 'job_result', arguments: { id: job } })).toMatchObject(slept);
});
