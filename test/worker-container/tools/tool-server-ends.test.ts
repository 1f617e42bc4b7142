import { once } from 'node:events';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { tool } from '../../../worker-container/tools/tool.ts';
import { serveTools } from './served-tools.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('a call that its agent gives up is ended', async () => {
  const began = Promise.withResolvers<AbortSignal>();
  const slow = tool({
    ...{ name: 'slow', description: 'Waits.', input: z.object({}) },
    call: async (_input, signal) => {
      began.resolve(signal);
      await once(signal, 'abort');
      return 'over';
    },
  });
  const { url, key } = await serveTools([slow]);
  const gone = new AbortController();
  const headers = {
    ...{ accept: 'application/json, text/event-stream', authorization: `Bearer ${key}` },
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ ...LIST, method: 'tools/call', params: { name: 'slow', arguments: {} } });
  const call = fetch(url, { method: 'POST', headers, body, signal: gone.signal }).catch((error: Error) => error.name);
  const signal = await began.promise;
  gone.abort();
  expect(await call).toBe('AbortError');
  if (!signal.aborted) await once(signal, 'abort');
});
