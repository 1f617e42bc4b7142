import { readFileSync } from 'node:fs';
import type { BuildAppOptions } from 'fauxqs';
import * as z from 'zod';

export type ObjectStores = NonNullable<BuildAppOptions['stores']>;
export type ObjectStore = ObjectStores['s3Store'];
export type Persistence = NonNullable<ObjectStore['persistence']>;
export type StoredObject = Parameters<Persistence['upsertObject']>[1];
export type Upload = Parameters<Persistence['insertMultipartUpload']>[0];

/** One file of an object's bytes: a put makes one, a multipart upload one per part. Never rewritten. */
const segmentSchema = z.object({ file: z.string(), length: z.number() });
export type Segment = z.output<typeof segmentSchema>;

/** An object's record on disk: the emulator's metadata, and where the bytes are. */
const objectRecord = z.object({
  key: z.string(),
  contentType: z.string(),
  contentLength: z.number(),
  etag: z.string(),
  lastModified: z.coerce.date(),
  metadata: z.record(z.string(), z.string()),
  contentLanguage: z.string().optional(),
  contentDisposition: z.string().optional(),
  cacheControl: z.string().optional(),
  contentEncoding: z.string().optional(),
  checksumAlgorithm: z.enum(['CRC32', 'SHA1', 'SHA256']).optional(),
  checksumValue: z.string().optional(),
  checksumType: z.enum(['FULL_OBJECT', 'COMPOSITE']).optional(),
  segments: z.array(segmentSchema),
});

/** Reads a record. @returns what is wrong with it, in one line, if it is damaged */
export function readRecord(path: string): z.output<typeof objectRecord> | string {
  try {
    return objectRecord.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return reason.replaceAll(/\s+/g, ' ');
  }
}
