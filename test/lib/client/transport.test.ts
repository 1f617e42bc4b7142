import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tryOnce } from '../../../lib/client/transport.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Requests an answer of so many parts, each so many seconds after the one before. */
async function requested({ parts, seconds }: { parts: number; seconds: number }): Promise<string> {
  vi.stubGlobal('fetch', async (_: Request, { signal }: RequestInit) => {
    let left = parts;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        vi.advanceTimersByTime(seconds * 1_000);
        // As fetch ends the body of an aborted request.
        if (signal?.aborted) return controller.error(signal.reason);
        if (left === 0) return controller.close();
        left -= 1;
        controller.enqueue(Buffer.from('part '));
      },
    });
    return new Response(body);
  });
  return await (await tryOnce(new Request('http://127.0.0.1/api/v1/jobs'))).text();
}

test('an answer may take as long as it needs while it arrives', async () => {
  expect(await requested({ parts: 4, seconds: 50 })).toBe('part part part part ');
});

test('an answer of which nothing arrives for a minute has failed', async () => {
  await expect(requested({ parts: 4, seconds: 61 })).rejects.toThrow('did not answer: nothing arrived for 60 seconds');
});
