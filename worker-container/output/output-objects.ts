import { createReadStream } from 'node:fs';
import { DeleteObjectsCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { uploadObject } from '../../lib/jobs/output/output-upload.ts';

/** The object store's operations for shipping output. Every call may be repeated with the same arguments. */
export interface OutputObjects {
  put(key: string, body: Buffer, signal: AbortSignal): Promise<void>;
  /** Uploads the first `bytes` of a file as one object. */
  uploadFile(key: string, path: string, bytes: number, signal: AbortSignal): Promise<void>;
  deleteMany(keys: readonly string[], signal: AbortSignal): Promise<void>;
}

/** Milliseconds after which an unanswered request is given up. The SDK itself would wait forever. */
const REQUEST_TIMEOUT = 60_000;
/** Slowest tolerated upload, in bytes per millisecond. */
const SLOWEST_UPLOAD = 128;
/** Most objects that S3 deletes in one request. */
const DELETE_BATCH = 1_000;
const LOG_TYPE = 'text/plain; charset=utf-8';

/** Output objects in a bucket. Needs `s3:PutObject`, `s3:AbortMultipartUpload` and `s3:DeleteObject` on `jobs/*`. */
export function s3OutputObjects(s3: S3Client, bucket: string): OutputObjects {
  return {
    async put(key, body, signal) {
      const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: LOG_TYPE });
      await s3.send(command, { abortSignal: within(signal, REQUEST_TIMEOUT) });
    },

    async uploadFile(key, path, bytes, signal) {
      await uploadObject({
        s3,
        bucket,
        key,
        body: createReadStream(path, { end: bytes - 1 }),
        contentType: LOG_TYPE,
        signal: within(signal, REQUEST_TIMEOUT + bytes / SLOWEST_UPLOAD),
      });
    },

    async deleteMany(keys, signal) {
      for (let at = 0; at < keys.length; at += DELETE_BATCH) {
        const objects = keys.slice(at, at + DELETE_BATCH).map((key) => ({ Key: key }));
        const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } });
        const { Errors: errors = [] } = await s3.send(command, { abortSignal: within(signal, REQUEST_TIMEOUT) });
        if (errors[0] !== undefined) throw new Error(`${errors[0].Key}: ${errors[0].Code} ${errors[0].Message}`);
      }
    },
  };
}

function within(signal: AbortSignal, milliseconds: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(milliseconds))]);
}
