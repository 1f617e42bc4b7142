import { once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { type Duplex, Writable } from 'node:stream';
import * as z from 'zod';
import { ERRORS } from '../../contract/errors.ts';
import { SECURITY_HEADERS } from '../../contract/security-headers.ts';

/**
 * How an answer leaves the gateway. A function answers either with one object, sent as API Gateway's proxy integration
 * sends it, or through a stream in Lambda's wire format, whose head is sent as soon as it is complete. Errors of the
 * gateway itself have the shape of the API's errors; where the request can't be read to its end, they go straight to
 * the socket.
 */

/** A header's value from a function; API Gateway writes numbers and booleans as text. */
const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** Status and headers, of a buffered response or at the start of a streamed one. */
const responseHead = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(headerValue)).nullish(),
  cookies: z.array(z.string()).nullish(),
});
type ResponseHead = z.output<typeof responseHead>;

const proxyResponse = responseHead.extend({ body: z.string().nullish(), isBase64Encoded: z.boolean().nullish() });

/** Set by the transport only. */
const HOP_BY_HOP = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer']);

/**
 * Sends a buffered function's response.
 * @throws Error, with nothing sent, if it is not a valid proxy integration response
 */
export function sendProxyResponse(response: ServerResponse, returned: unknown): void {
  const answer = proxyResponse.parse(returned);
  const body = Buffer.from(answer.body ?? '', answer.isBase64Encoded === true ? 'base64' : 'utf8');
  const headers = headerList(answer);
  if (!headers.some(([name]) => name.toLowerCase() === 'content-type'))
    headers.push(['content-type', 'application/json']);
  if (mayHaveBody(answer.statusCode)) headers.push(['content-length', String(body.length)]);
  response.writeHead(answer.statusCode, headers.flat());
  response.end(mayHaveBody(answer.statusCode) ? body : undefined);
}

/** Sends status and headers of a streamed response. */
function sendHead(response: ServerResponse, head: ResponseHead): void {
  response.writeHead(head.statusCode, headerList(head).flat());
  response.flushHeaders();
}

/** Sends an error of the gateway itself, in the shape of the API's errors. */
export function sendGatewayError(response: ServerResponse, status: number, error: string, requestId: string): void {
  const body = errorBody(error, requestId);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...SECURITY_HEADERS,
    ...(status === ERRORS.too_many_requests.status && { 'retry-after': '1' }),
    'x-request-id': requestId,
  });
  response.end(body);
}

/** The same on a connection whose request can't be read to its end: responds and closes our side of it. */
export function sendGatewayErrorAndEnd(socket: Duplex, status: number, error: string, requestId: string): void {
  const body = errorBody(error, requestId);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function errorBody(error: string, requestId: string): string {
  return JSON.stringify({ error, request_id: requestId });
}

/** A name in both is taken from `multiValueHeaders`. */
function headerList({ headers, multiValueHeaders, cookies }: ResponseHead): [string, string][] {
  const multiple = Object.entries(multiValueHeaders ?? {});
  const taken = new Set(multiple.map(([name]) => name.toLowerCase()));
  const single = Object.entries(headers ?? {}).filter(([name]) => !taken.has(name.toLowerCase()));
  const all: [string, string][] = [
    ...single,
    ...multiple.flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
    ...(cookies ?? []).map((cookie): [string, string] => ['set-cookie', cookie]),
  ];
  return all.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()));
}

function mayHaveBody(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** Separates the head (JSON) and the body of a streamed response. */
const DELIMITER = Buffer.alloc(8);
const HEAD_CONTENT_TYPE = 'application/vnd.awslambda.http-integration-response';
/** Bytes. A stream without a delimiter must not fill the memory. */
const MAX_HEAD_BYTES = 1024 * 1024;

/** Marks streaming handlers, as Lambda's runtime does; the gateway checks for it. */
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

/** Defines the global of Lambda's Node runtime for handlers that stream. */
export function provideAwsLambdaGlobal(): void {
  const streamifyResponse = (handler: object) => Object.assign(handler, { [STREAMING]: 'response' });
  const from = (stream: unknown, head: unknown) => {
    if (!(stream instanceof ResponseStream)) throw new TypeError('HttpResponseStream.from wants the response stream');
    return stream.beginWith(head);
  };
  // AWS libraries store their own state in it, and may have created it before.
  const existing: unknown = Reflect.get(globalThis, 'awslambda');
  Object.assign(globalThis, {
    awslambda: Object.assign(existing ?? {}, { streamifyResponse, HttpResponseStream: { from } }),
  });
}

export function isStreamingHandler(handler: object): boolean {
  return Reflect.get(handler, STREAMING) === 'response';
}

/**
 * The stream that a streaming handler writes to. Takes Lambda's wire format (head as JSON, eight zero bytes, body) and
 * sends it as API Gateway does: the head once it is complete, then each piece as it arrives, with the client's
 * backpressure. Lambda does not notify a function that its client has disconnected, or that CloudFront no longer waits
 * for it: later writes are dropped.
 */
export class ResponseStream extends Writable {
  readonly #response: ServerResponse;
  readonly #maxBytes: number;
  readonly #silenceMs: number;
  readonly #silent = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #isAbandoned = false;
  #pendingHead: Buffer | undefined;
  #received: Buffer | undefined = Buffer.alloc(0);
  #bytes = 0;
  contentType: string | undefined;

  constructor(response: ServerResponse, options: { maxBytes: number; silenceMs: number }) {
    super({ highWaterMark: 64 * 1024 });
    this.#response = response;
    this.#maxBytes = options.maxBytes;
    this.#silenceMs = options.silenceMs;
    this.#listen();
    this.once('close', () => clearTimeout(this.#timer));
  }

  /** Resolves once the function has written nothing for that long, after which it is no longer listened to. */
  get silence(): Promise<void> {
    return this.#silent.promise;
  }

  #listen(): void {
    if (this.#isAbandoned) return;
    this.#timer = setTimeout(() => {
      this.#isAbandoned = true;
      this.#silent.resolve();
    }, this.#silenceMs).unref();
  }

  get #hasNoReader(): boolean {
    return this.#isAbandoned || this.#response.destroyed;
  }

  setContentType(contentType: string): void {
    this.contentType = contentType;
  }

  /** Puts a head before the first byte written. */
  beginWith(head: unknown): this {
    this.setContentType(HEAD_CONTENT_TYPE);
    this.#pendingHead = Buffer.concat([Buffer.from(JSON.stringify(head)), DELIMITER]);
    return this;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const head = this.#pendingHead ?? Buffer.alloc(0);
    this.#pendingHead = undefined;
    clearTimeout(this.#timer);
    this.#take(Buffer.concat([head, chunk])).then(() => {
      this.#listen();
      done();
    }, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    if (this.#received !== undefined) done(new Error('the stream ended before its head was whole'));
    else if (this.#hasNoReader) done();
    else this.#endResponse().then(() => done(), done);
  }

  /** Resolves once all is sent, or the client has disconnected. */
  async #endResponse(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.once('close', resolve).end(resolve);
    await promise;
  }

  async #take(bytes: Buffer): Promise<void> {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) throw new Error(`a streamed answer may have ${this.#maxBytes} bytes`);
    const body = this.#received === undefined ? bytes : this.#readHead(Buffer.concat([this.#received, bytes]));
    if (body.length === 0 || this.#hasNoReader || this.#response.write(body)) return;
    const listening = new AbortController();
    const { signal } = listening;
    await Promise.race([once(this.#response, 'drain', { signal }), once(this.#response, 'close', { signal })]);
    listening.abort();
  }

  /** @returns the bytes after the head */
  #readHead(received: Buffer): Buffer {
    const end = received.indexOf(DELIMITER);
    if (end === -1) {
      if (received.length > MAX_HEAD_BYTES) throw new Error('the stream has no head');
      this.#received = received;
      return Buffer.alloc(0);
    }
    this.#received = undefined;
    const head = responseHead.parse(JSON.parse(received.toString('utf8', 0, end)));
    if (!this.#hasNoReader) sendHead(this.#response, head);
    return received.subarray(end + DELIMITER.length);
  }
}
