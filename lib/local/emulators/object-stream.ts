import type { buildApp } from 'fauxqs';
import * as z from 'zod';
import type { ObjectFiles } from './object-files.ts';
import type { ObjectStore } from './object-record.ts';

export type EmulatorApp = ReturnType<typeof buildApp>;
export type ObjectErrorConstructor = new (
  code: string,
  message: string,
  statusCode: number,
) => Error & { toXml(): string };

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
export function streamObjects(
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
