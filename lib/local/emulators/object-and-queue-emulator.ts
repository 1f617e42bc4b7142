import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildApp } from 'fauxqs';
import * as z from 'zod';
import type { RunCredentials } from '../run-access/run-credentials.ts';
import { admitSigned, SignatureCheck } from '../run-access/signature-check.ts';
import { ObjectFiles } from './object-files.ts';
import type { ObjectStore, ObjectStores } from './object-record.ts';

export interface ObjectAndQueueEmulator {
  /** For both SQS and S3. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/**
 * Starts the SQS and S3 emulator in this process, on a free loopback port, for callers that sign with the credentials.
 * Objects are kept in `objectFolder`. Queues are in memory and start empty; the jobs table shows which messages to send
 * again.
 */
export async function startObjectAndQueueEmulator(
  objectFolder: string,
  credentials: RunCredentials,
  log: (line: string) => void = () => undefined,
): Promise<ObjectAndQueueEmulator> {
  const { SqsStore, SnsStore, S3Store, S3Error } = await loadInternals();
  const stores: ObjectStores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  // Makes queue URLs use the address of the request; with a host they name sqs.REGION.HOST, which doesn't resolve.
  stores.sqsStore.host = '';
  const files = new ObjectFiles(objectFolder, (message) => new S3Error('InternalError', message, 500), log);
  files.loadS3(stores.s3Store);
  stores.s3Store.persistence = files;
  completeOnDisk(stores.s3Store, files, S3Error);
  const app = buildApp({ logger: false, stores });
  streamObjects(app, stores.s3Store, files, S3Error);
  giveBackUndelivered(app, stores.sqsStore);
  admitSigned(app.server, new SignatureCheck(credentials, ['s3', 'sqs']));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = addressSchema.parse(app.server.address());
  return { endpoint: `http://127.0.0.1:${port}`, close: async () => await app.close() };
}

const addressSchema = z.custom<AddressInfo>((value) => typeof value === 'object' && value !== null);

/** The package's start function binds all interfaces, and its entry point exports no stores: hence the exact pin. */
async function loadInternals() {
  const entry = import.meta.resolve('fauxqs');
  const [sqs, sns, s3, errors] = await Promise.all(
    ['sqs/sqsStore.js', 'sns/snsStore.js', 's3/s3Store.js', 'common/errors.js'].map(
      async (file): Promise<unknown> => await import(new URL(file, entry).href),
    ),
  );
  return {
    ...z.object({ SqsStore: constructorOf<ObjectStores['sqsStore']>() }).parse(sqs),
    ...z.object({ SnsStore: constructorOf<ObjectStores['snsStore']>() }).parse(sns),
    ...z.object({ S3Store: constructorOf<ObjectStore>() }).parse(s3),
    ...z.object({ S3Error: z.custom<ObjectErrorConstructor>((value) => typeof value === 'function') }).parse(errors),
  };
}

function constructorOf<T>() {
  return z.custom<new () => T>((value) => typeof value === 'function');
}

function completeOnDisk(store: ObjectStore, files: ObjectFiles, S3Error: ObjectErrorConstructor): void {
  store.completeMultipartUpload = (uploadId, parts) => {
    const joined = files.joinParts(uploadId, parts);
    if (typeof joined === 'string') {
      throw new S3Error(joined, 'the upload cannot be completed', joined === 'NoSuchUpload' ? 404 : 400);
    }
    store.restoreObject(joined.bucket, joined.object);
    store.abortMultipartUpload(uploadId);
    return joined.object;
  };
}

const receiveBody = z.object({ QueueUrl: z.string() });
const receiveAnswer = z.object({ Messages: z.array(z.object({ ReceiptHandle: z.string() })) });

/**
 * Returns messages to the queue that a long poll received for a client which has disconnected (such as a killed
 * worker). Otherwise they stay hidden until their visibility timeout ends.
 */
function giveBackUndelivered(app: EmulatorApp, queues: ObjectStores['sqsStore']): void {
  app.addHook('preSerialization', async (request, _reply, payload) => {
    if (request.headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage') return payload;
    const body = receiveBody.safeParse(request.body);
    const answer = receiveAnswer.safeParse(payload);
    if (!body.success || !answer.success || !(await hasGone(request.raw.socket))) return payload;
    const queue = queues.getQueue(body.data.QueueUrl);
    for (const message of answer.data.Messages) queue?.changeVisibility(message.ReceiptHandle, 0);
    return payload;
  });
}

async function hasGone(socket: Socket): Promise<boolean> {
  // The system may know that the client disconnected before this process does.
  await nextTurn();
  return socket.destroyed || socket.readableEnded || socket.writableEnded;
}

type EmulatorApp = ReturnType<typeof buildApp>;
type ObjectErrorConstructor = new (code: string, message: string, statusCode: number) => Error & { toXml(): string };

const objectParams = z.object({ bucket: z.string(), '*': z.string().min(1) });
const queryParams = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** Requests that the emulator answers, from the whole object in memory. */
const LEFT_TO_EMULATOR = ['attributes', 'lifecycle', 'partNumber'];
const CONDITIONS = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'] as const;

/** Headers that a presigned URL can set, under S3's names: `response-content-type=text/plain`. */
const OVERRIDES = [
  'content-type',
  'content-language',
  'content-disposition',
  'content-encoding',
  'cache-control',
  'expires',
];

/**
 * Answers GetObject from disk as a stream. The emulator would read the whole object into memory, for every range too.
 */
function streamObjects(
  app: EmulatorApp,
  store: ObjectStore,
  files: ObjectFiles,
  S3Error: ObjectErrorConstructor,
): void {
  app.addHook('preHandler', async (request, reply) => {
    if (
      (request.method !== 'GET' && request.method !== 'HEAD') ||
      CONDITIONS.some((name) => request.headers[name] !== undefined)
    )
      return;
    const params = objectParams.safeParse(request.params);
    const query = queryParams.safeParse(request.query);
    if (!params.success || !query.success || LEFT_TO_EMULATOR.some((name) => name in query.data)) return;
    const { bucket, '*': key } = params.data;
    const object = find(store, bucket, key);
    if (object === undefined) return;
    // A length that the files don't have would leave the reader waiting for the rest.
    object.contentLength = files.readableSize(bucket, key);
    if (request.method === 'HEAD') return;
    const total = object.contentLength;
    const range = parseRange(request.headers.range, total);
    if (range === 'unsatisfiable') {
      const refusal = new S3Error('InvalidRange', 'the range is not satisfiable', 416);
      return await reply
        .status(416)
        .header('content-range', `bytes */${total}`)
        .type('application/xml')
        .send(refusal.toXml());
    }
    reply.headers(describe(object));
    for (const name of OVERRIDES) {
      const value = query.data[`response-${name}`];
      if (typeof value === 'string') reply.header(name, value);
    }
    if (range !== undefined) reply.status(206).header('content-range', `bytes ${range.start}-${range.end}/${total}`);
    else if (String(request.headers['x-amz-checksum-mode']).toUpperCase() === 'ENABLED')
      reply.headers(checksum(object));
    const { start, end } = range ?? { start: 0, end: total - 1 };
    reply.header('content-length', end - start + 1);
    return await reply.send(files.read(bucket, key, start, end));
  });
}

type StoredObject = ReturnType<ObjectStore['headObject']>;

function find(store: ObjectStore, bucket: string, key: string): StoredObject | undefined {
  try {
    return store.headObject(bucket, key);
  } catch {
    return undefined;
  }
}

/** S3 ignores a range that it can't parse, or several ranges, and answers with the whole object. */
function parseRange(header: string | undefined, total: number) {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(total - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? total - 1 : Math.min(Number(last), total - 1);
  if (start >= total || (first === '' && Number(last) === 0)) return 'unsatisfiable';
  return start > end ? undefined : { start, end };
}

function describe(object: StoredObject): Record<string, string> {
  const metadata = Object.entries(object.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]);
  return {
    'content-type': object.contentType,
    etag: object.etag,
    'last-modified': object.lastModified.toUTCString(),
    'accept-ranges': 'bytes',
    ...(object.contentLanguage && { 'content-language': object.contentLanguage }),
    ...(object.contentDisposition && { 'content-disposition': object.contentDisposition }),
    ...(object.cacheControl && { 'cache-control': object.cacheControl }),
    ...(object.contentEncoding && { 'content-encoding': object.contentEncoding }),
    ...Object.fromEntries(metadata),
  };
}

function checksum(object: StoredObject): Record<string, string> {
  if (object.checksumAlgorithm === undefined || object.checksumValue === undefined) return {};
  return { [`x-amz-checksum-${object.checksumAlgorithm.toLowerCase()}`]: object.checksumValue };
}
