import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import { afterEach, describe, expect, test } from 'vitest';
import { type Gateway, type GatewayLimits, startGateway } from '../../../lib/local/gateway.ts';

const MIB = 1024 * 1024;

/** The runtime's global; the gateway provides it. */
declare const awslambda: { streamifyResponse(handler: (event: unknown, out: Writable) => Promise<unknown>): object };

let gateway: Gateway | undefined;
const logged: string[] = [];

/** A gateway with one streaming route; its handler is made when the function is loaded, as a module's would be. */
async function serving(makeHandler: () => object, limits: Partial<GatewayLimits> = {}): Promise<string> {
  gateway = await startGateway({
    port: 0,
    routes: [{ id: 'logs.read', method: 'GET', path: '/logs', mode: 'stream' }],
    load: async () => ({ handler: makeHandler() }),
    log: (line) => logged.push(line),
    limits,
  });
  return `${gateway.url}/api/v1/logs`;
}

/** What our routes are made of: middy in its streaming mode. */
function answering(body: () => string | Readable, head: object = {}): () => object {
  return () =>
    middy({ executionMode: executionModeStreamifyResponse }).handler(async () => ({
      statusCode: 200,
      ...head,
      body: body(),
    }));
}

/** A handler that writes to the stream by itself. */
function writing(write: (out: Writable) => Promise<unknown>): () => object {
  return () => awslambda.streamifyResponse(async (_event, out) => await write(out));
}

afterEach(async () => {
  await gateway?.close();
  logged.length = 0;
});

describe('what a client gets', () => {
  test('status, headers and body of a streamed answer', async () => {
    const head = {
      statusCode: 203,
      headers: { 'x-a': '1' },
      multiValueHeaders: { 'set-cookie': ['a=1', 'b=2'] },
      cookies: ['c=3'],
    };
    const url = await serving(answering(() => Readable.from(['hé', 'llo']), head));
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([203, 'héllo']);
    expect(response.headers.get('x-a')).toBe('1');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2', 'c=3']);
  });

  test('a string body of any length arrives whole', async () => {
    const url = await serving(answering(() => 'x'.repeat(3 * MIB)));
    expect((await (await fetch(url)).text()).length).toBe(3 * MIB);
  });

  test('an empty body', async () => {
    const url = await serving(answering(() => '', { statusCode: 404 }));
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([404, '']);
  });

  test('the head arrives before the first byte of the body is there', async () => {
    const source = new Readable({ read: () => undefined });
    const url = await serving(answering(() => source));
    const response = await fetch(url);
    expect(response.status).toBe(200);
    source.push('late');
    source.push(null);
    expect(await response.text()).toBe('late');
  });

  test('a piece arrives when it is written, not at the end', async () => {
    const source = new Readable({ read: () => undefined });
    const url = await serving(answering(() => source));
    const reader = (await fetch(url)).body?.getReader();
    source.push('first');
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
    source.push(null);
    expect((await reader?.read())?.done).toBe(true);
  });

  test('the wire format may come in pieces cut anywhere', async () => {
    const wire = Buffer.concat([
      Buffer.from('{"statusCode":201,"headers":{"x-a":"é"}}'),
      Buffer.alloc(8),
      Buffer.from('body\0\0more'),
    ]);
    const url = await serving(
      writing(async (out) => {
        for (const byte of wire) out.write(Buffer.from([byte]));
        out.end();
      }),
    );
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([201, 'body\0\0more']);
  });
});

describe('a slow client', () => {
  test('is not overrun: the source is read no faster than the client takes it', async () => {
    let produced = 0;
    const url = await serving(
      answering(() =>
        Readable.from(
          (function* () {
            for (; produced < 64 * MIB; produced += 64 * 1024) yield Buffer.alloc(64 * 1024, 'x');
          })(),
        ),
      ),
    );
    const response = await request(url);
    let taken = 0;
    let furthestAhead = 0;
    for await (const chunk of response) {
      taken += chunk.length;
      furthestAhead = Math.max(furthestAhead, produced - taken);
      // Every turn given to the server while the client doesn't read would let an unchecked source run ahead.
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    }
    expect(taken).toBe(64 * MIB);
    expect(furthestAhead).toBeLessThan(24 * MIB);
  });
});

describe('a client that goes', () => {
  test("ends the handler's source", async () => {
    const source = new Readable({ read: () => undefined });
    const url = await serving(answering(() => source));
    const response = await request(url);
    source.push('first');
    await once(response, 'data');
    response.destroy();
    await finished(source).catch(() => undefined);
    expect(source.destroyed).toBe(true);
    expect(logged).toEqual([]);
  });

  test('ends the source of an answer that is blocked because nobody reads', async () => {
    const source = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(64 * 1024);
      })(),
    );
    const url = await serving(answering(() => source));
    const response = await request(url);
    await once(response, 'readable');
    response.destroy();
    await finished(source).catch(() => undefined);
    expect(source.destroyed).toBe(true);
  });

  test('does not end the process when the handler is busy with something else', async () => {
    const gone = Promise.withResolvers<void>();
    const url = await serving(
      writing(async (out) => {
        out.write(`{"statusCode":200}${'\0'.repeat(8)}x`);
        out.on('close', gone.resolve);
        await new Promise(() => undefined);
      }),
    );
    const response = await request(url);
    await once(response, 'data');
    response.destroy();
    await gone.promise;
  });
});

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
  test('an answer that is too long is cut, and the log says so', async () => {
    const url = await serving(
      answering(() => Readable.from([Buffer.alloc(MIB), Buffer.alloc(MIB)])),
      { streamBytes: 1.5 * MIB },
    );
    await expect((await fetch(url)).arrayBuffer()).rejects.toThrow();
    await expect.poll(() => logged.join()).toContain('may have 1572864 bytes');
  });

  test('an answer that takes too long is cut, its source ends, and the log says so', async () => {
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

test('an answer reaches a client that takes its time after the handler has returned', async () => {
  const url = await serving(
    writing(async (out) => {
      out.write(`{"statusCode":200}${'\0'.repeat(8)}`);
      out.end(Buffer.alloc(32 * MIB, 'x'));
    }),
  );
  const response = await request(url);
  let taken = 0;
  await pipeline(response, async (chunks) => {
    for await (const chunk of chunks) taken += chunk.length;
  });
  expect(taken).toBe(32 * MIB);
});

/** Unlike fetch it reads nothing ahead. */
async function request(url: string): Promise<IncomingMessage> {
  const [response] = await once(get(url, { agent: false }), 'response');
  return response;
}
