import { Readable } from 'node:stream';
import { GetObjectCommand, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import type { StreamName } from '../receipts/receipt.ts';

/** A stream of an attempt as bytes: persisted in S3, or still in the worker's spool. */
export interface OutputSource {
  /** Size in bytes when the source was opened. */
  readonly size: number;
  /** The bytes from `from` (default 0) up to but not including `to` (default and at most `size`). */
  read(from?: number, to?: number): AsyncIterable<Buffer>;
}

/** Both streams of an attempt. */
export type OutputSources = Readonly<Record<StreamName, OutputSource>>;

/** How often in a row a body may break without delivering a byte. The SDK retries requests, but not bodies. */
const MAX_BREAKS = 4;

/** A byte range of an object. */
interface ObjectRange {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly from: number;
  /** Exclusive; the object must be at least this long. */
  readonly to: number;
}

/**
 * Reads a part of an object. A body that breaks is resumed, so that a slow reader may take long.
 * @throws NoSuchKey if the object does not exist; the last error if the body breaks without progress
 */
export async function* readObject({ s3, bucket, key, from, to }: ObjectRange): AsyncGenerator<Buffer> {
  let position = from;
  let breaks = 0;
  while (position < to) {
    const { Body: body } = await s3.send(
      new GetObjectCommand({ Bucket: bucket, Key: key, Range: `bytes=${position}-${to - 1}` }),
    );
    if (!(body instanceof Readable)) throw new Error(`${key}: S3 answered without a body`);
    try {
      for await (const chunk of body) {
        if (!Buffer.isBuffer(chunk)) throw new TypeError(`${key}: S3's body is not made of bytes`);
        position += chunk.length;
        breaks = 0;
        yield chunk;
      }
      if (position < to) throw new Error(`${key} ends at byte ${position}, expected at least ${to}`);
    } catch (error) {
      breaks += 1;
      if (breaks > MAX_BREAKS) throw error;
    }
  }
}

/** Whether an error means that the object does not exist, or no longer exists. */
export function isMissing(error: unknown): boolean {
  return error instanceof NoSuchKey;
}

/** Whether an error means that an object's content doesn't match its checksum. The SDK checks whole objects only. */
export function isChecksumMismatch(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Checksum mismatch');
}
