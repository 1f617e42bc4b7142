import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { answering, closeGateway, logged, serving, writing } from './streaming-under-test.ts';

const MIB = 1024 * 1024;

afterEach(closeGateway);

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

  test.each([0, 5, 3 * MIB])('a string body of %d characters arrives whole', async (length) => {
    const response = await fetch(await serving(answering(() => 'x'.repeat(length), { statusCode: 404 })));
    expect([response.status, (await response.text()).length]).toEqual([404, length]);
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

describe('a client that disconnects', () => {
  test('does not reach the function, which runs to its own end', async () => {
    const source = new Readable({ read: () => undefined });
    const url = await serving(answering(() => source));
    const response = await request(url);
    source.push('first');
    await once(response, 'data');
    response.destroy();
    await once(response, 'close');
    // The gateway has noticed once it answers on a connection that was opened later.
    await (await fetch(new URL('/elsewhere', url))).text();
    expect(source.destroyed).toBe(false);
    source.push('second');
    source.push(null);
    await finished(source);
    expect(source.errored).toBeNull();
    expect(logged.join()).not.toContain('/logs');
  });

  test('before the head does not reach it either', async () => {
    const called = Promise.withResolvers<Writable>();
    const ended = Promise.withResolvers<void>();
    const url = await serving(
      writing(async (out) => {
        called.resolve(out);
        await ended.promise;
      }),
    );
    const going = get(url, { agent: false });
    going.on('error', () => undefined);
    const out = await called.promise;
    going.destroy();
    await (await fetch(new URL('/elsewhere', url))).text();
    out.end(`{"statusCode":200}${'\0'.repeat(8)}x`);
    await finished(out);
    ended.resolve();
    expect(out.errored).toBeNull();
    expect(logged.join()).not.toContain('/logs');
  });

  test('while an answer waits for it lets the rest of the answer be dropped', async () => {
    let produced = 0;
    const source = Readable.from(
      (function* () {
        for (; produced < 64 * MIB; produced += 64 * 1024) yield Buffer.alloc(64 * 1024);
      })(),
    );
    const url = await serving(answering(() => source));
    const response = await request(url);
    await once(response, 'readable');
    response.destroy();
    await finished(source);
    expect(produced).toBe(64 * MIB);
  });
});

test('closing the gateway ends functions that still stream', async () => {
  const source = new Readable({ read: () => undefined });
  const response = await fetch(await serving(answering(() => source)));
  await closeGateway();
  await finished(source).catch(() => undefined);
  expect(source.destroyed).toBe(true);
  await expect(response.text()).rejects.toThrow();
  expect(logged).toEqual([]);
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
