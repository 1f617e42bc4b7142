import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { answering, closeGateway, logged, serving } from './streaming-under-test.ts';

const MIB = 1024 * 1024;

afterEach(closeGateway);

describe('a slow client', () => {
  test('slows the source down to the rate at which it reads', async () => {
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
});

/** Unlike fetch it reads nothing ahead. */
async function request(url: string): Promise<IncomingMessage> {
  const [response] = await once(get(url, { agent: false }), 'response');
  return response;
}
