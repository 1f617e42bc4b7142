import { Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { answering, closeGateway, logged, serving, writing } from './streaming-under-test.ts';

const MIB = 1024 * 1024;

afterEach(closeGateway);

describe('a stream that fails', () => {
  test('before its head is a 502, and the log says why', async () => {
    const url = await serving(writing(async () => Promise.reject(new Error('broken early'))));
    const response = await fetch(url);
    const body = (await response.json()) as Record<string, string>;
    expect([response.status, body]).toEqual([
      502,
      { error: 'internal_error', request_id: response.headers.get('x-request-id') },
    ]);
    expect(logged.join()).toContain('broken early');
  });

  test.each([
    ['ends without a head', async (out: Writable) => out.end('no head here')],
    ['has a head that is no JSON', async (out: Writable) => out.end(`nonsense${'\0'.repeat(8)}`)],
    ['never ends', async () => undefined],
  ])('that %s is a 502', async (_what, write) => {
    const response = await fetch(await serving(writing(write)));
    expect([response.status, await response.json()]).toMatchObject([502, { error: 'internal_error' }]);
  });

  test('in the middle cuts the connection, so that no client takes half an answer for a whole one', async () => {
    const source = new Readable({ read: () => undefined });
    const url = await serving(answering(() => source));
    const response = await fetch(url);
    source.push('half');
    source.destroy(new Error('broken in the middle'));
    await expect(response.text()).rejects.toThrow();
    await expect.poll(() => logged.join()).toContain('broken in the middle');
  });

  test('with a handler that does not stream is a 502', async () => {
    const response = await fetch(await serving(() => async () => ({ statusCode: 200, body: '' })));
    expect(response.status).toBe(502);
    expect(logged.join()).toContain('mode is stream');
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

  test('an answer that does not begin in time is a 504, and its stream ends', async () => {
    const ended = Promise.withResolvers<void>();
    const write = async (out: Writable) => await new Promise(() => out.on('close', ended.resolve));
    const response = await fetch(await serving(writing(write), { streamMs: 50 }));
    expect([response.status, await response.json()]).toMatchObject([504, { error: 'timed_out' }]);
    await ended.promise;
  });

  test('a response that takes too long is cut, its source ends, with a log line', async () => {
    const source = new Readable({ read: () => undefined });
    const url = await serving(
      answering(() => source),
      { streamMs: 100 },
    );
    await expect((await fetch(url)).text()).rejects.toThrow();
    await finished(source).catch(() => undefined);
    expect(logged.join()).toContain('longer than 100 ms');
  });
});
