import { Readable, type Writable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { answering, closeGateway, logged, serving, writing } from './streaming-under-test.ts';

const MIB = 1024 * 1024;

afterEach(closeGateway);

describe('a stream that fails', () => {
  test('before its head causes a 502, and the log says why', async () => {
    const url = await serving(writing(async () => Promise.reject(new Error('broken early'))));
    const response = await fetch(url);
    const body = (await response.json()) as Record<string, string>;
    expect([response.status, body]).toEqual([
      502,
      { error: 'internal_error', request_id: response.headers.get('x-request-id') },
    ]);
    expect(logged.join()).toContain('broken early');
  });

  test('in the middle cuts the connection, so clients notice that the answer is incomplete', async () => {
    const source = new Readable({ read: () => undefined });
    const url = await serving(answering(() => source));
    const response = await fetch(url);
    source.push('half');
    source.destroy(new Error('broken in the middle'));
    await expect(response.text()).rejects.toThrow();
    await expect.poll(() => logged.join()).toContain('broken in the middle');
  });
});

describe("Lambda's limits on streams", () => {
  test('an oversized response is cut, with a log line', async () => {
    const url = await serving(
      answering(() => Readable.from([Buffer.alloc(MIB), Buffer.alloc(MIB)])),
      { streamBytes: 1.5 * MIB },
    );
    await expect((await fetch(url)).arrayBuffer()).rejects.toThrow();
    await expect.poll(() => logged.join()).toContain('may have 1572864 bytes');
  });

  test('an answer that begins too late is replaced by a 504, and its stream ends', async () => {
    const ended = Promise.withResolvers<void>();
    const write = async (out: Writable) => await new Promise(() => out.on('close', ended.resolve));
    const response = await fetch(await serving(writing(write), { streamMs: 50 }));
    expect([response.status, await response.json()]).toMatchObject([504, { error: 'timed_out' }]);
    await ended.promise;
  });
});

describe("CloudFront's wait for a silent function", () => {
  const limits = { silenceMs: 60 };

  test.each([
    ['GET', 3],
    ['POST', 1],
  ])('ends a %s as a 504 after %d calls, whose functions are not told', async (method, calls) => {
    const called: Writable[] = [];
    const silent = writing(async (out) => {
      called.push(out);
      await new Promise(() => undefined);
    });
    const response = await fetch(await serving(silent, limits), { method });
    expect([response.status, await response.json()]).toMatchObject([504, { error: 'timed_out' }]);
    expect(called.map(({ destroyed }) => destroyed)).toEqual(Array(calls).fill(false));
    for (const late of called) late.end(`{"statusCode":200}${'\0'.repeat(8)}too late`);
  });
});
