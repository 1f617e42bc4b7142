import { expect, test } from 'vitest';
import { functionsUnderTest } from './functions-under-test.ts';

const service = functionsUnderTest(
  {
    'mcp.call': async () => await import('../../functions/mcp/call.ts'),
    'mcp.resume': async () => await import('../../functions/mcp/resume.ts'),
  },
  (url) => ({ PROMPTQ_PUBLIC_ORIGIN: url }),
);

test('a message of a client is answered as JSON, and a stream that nothing waits for is not found', async () => {
  const headers = {
    authorization: `Bearer ${await service.token()}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const about = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: about });
  const begun = await service.ask('/api/v1/mcp', headers, { method: 'POST', body });
  expect([begun.status, begun.headers.get('content-type')]).toEqual([200, expect.stringContaining('application/json')]);
  expect(begun.body).toMatchObject({ jsonrpc: '2.0', id: 1, result: { serverInfo: { name: expect.any(String) } } });
  const resume = async (more: Record<string, string>) => {
    const answer = await service.ask('/api/v1/mcp', { ...headers, ...more });
    return [answer.status, answer.body.error, answer.headers.get('allow')];
  };
  expect(await resume({})).toEqual([405, 'method_not_allowed', 'POST']);
  expect(await resume({ 'last-event-id': 'unknown' })).toEqual([404, 'not_found', null]);
});
