import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { provideAwsLambdaGlobal, ResponseStream } from '../../../../lib/local/gateway/gateway-stream.ts';

const MIB = 1024 * 1024;
const HEAD = Buffer.from(`{"statusCode":200}${'\0'.repeat(8)}`);

/** The client's side of an answer. */
class Client extends EventEmitter {
  readonly got: string[] = [];
  destroyed = false;
  hasRoom = true;
  writeHead(status: number): void {
    this.got.push(String(status));
  }
  flushHeaders(): void {
    this.got.push('flushed');
  }
  write(bytes: Buffer): boolean {
    this.got.push(String(bytes));
    return this.hasRoom;
  }
  end(done: () => void): void {
    this.got.push('end');
    done();
  }
}
function opened(maxBytes = 100 * MIB) {
  const client = new Client();
  const out = new ResponseStream(client as unknown as ServerResponse, { maxBytes, silenceMs: 60_000 });
  const errors: string[] = [];
  out.on('error', (error) => errors.push(error.message));
  return { client, out, errors };
}
const write = async (out: ResponseStream, bytes: Buffer | string) =>
  await new Promise((resolve) => out.write(bytes, (error) => resolve(error?.message)));

test('the head is sent as soon as it is whole, then each piece, and nothing for an empty one', async () => {
  const { client, out } = opened();
  await write(out, HEAD.subarray(0, 20));
  expect(client.got).toEqual([]);
  await write(out, HEAD.subarray(20));
  expect(client.got).toEqual(['200', 'flushed']);
  await write(out, 'one');
  out.end();
  await once(out, 'finish');
  expect(client.got.slice(2)).toEqual(['one', 'end']);
});

test('a head is looked for in a mebibyte, and an answer has no byte more than it may have', async () => {
  const first = opened();
  expect(await write(first.out, Buffer.alloc(MIB, 'x'))).toBeUndefined();
  expect(await write(first.out, 'x')).toBe('the stream has no head');
  const second = opened(HEAD.length + 1);
  expect([await write(second.out, HEAD), await write(second.out, 'x')]).toEqual([undefined, undefined]);
  expect(await write(second.out, 'x')).toBe(`a streamed answer may have ${HEAD.length + 1} bytes`);
});

test('a slow client is waited for, and nothing of the wait is left behind', async () => {
  const { client, out } = opened();
  await write(out, HEAD);
  for (const event of ['drain', 'close']) {
    client.hasRoom = false;
    const written = write(out, 'piece');
    await Promise.resolve();
    expect(await Promise.race([written, new Promise((resolve) => setImmediate(resolve, 'waits'))])).toBe('waits');
    client.emit(event);
    expect(await written).toBeUndefined();
    expect([client.listenerCount('drain'), client.listenerCount('close')]).toEqual([0, 0]);
  }
  expect(out.writableHighWaterMark).toBe(65_536);
});

test('to a client that has gone nothing is sent, and the stream ends as if it was there', async () => {
  const { client, out, errors } = opened();
  client.destroyed = true;
  await write(out, HEAD);
  await write(out, 'one');
  out.end();
  await once(out, 'finish');
  expect([client.got, errors]).toEqual([[], []]);
});

test("the runtime's global begins only its own streams with a head, and keeps what it had", async () => {
  Object.assign(globalThis, { awslambda: { kept: true } });
  provideAwsLambdaGlobal();
  const runtime = Reflect.get(globalThis, 'awslambda') as unknown as {
    kept: boolean;
    HttpResponseStream: { from(stream: unknown, head: unknown): ResponseStream };
  };
  expect(runtime.kept).toBe(true);
  expect(() => runtime.HttpResponseStream.from({}, {})).toThrow(TypeError);
  const { client, out } = opened();
  const begun = runtime.HttpResponseStream.from(out, { statusCode: 201 });
  expect([begun, out.contentType]).toEqual([out, 'application/vnd.awslambda.http-integration-response']);
  await write(out, 'x');
  expect(client.got).toEqual(['201', 'flushed', 'x']);
});
