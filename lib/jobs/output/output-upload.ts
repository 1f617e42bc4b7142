import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { DocumentName } from '../receipts/receipt.ts';
import { documentKey } from './output-keys.ts';

/** An object to write. */
interface ObjectUpload {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly body: Readable;
  readonly contentType: string;
  /** Aborts the upload; nothing of it remains. */
  readonly signal?: AbortSignal | undefined;
}

/** S3 accepts no smaller parts; two at once keep an upload's memory at about 10 MiB. */
const PARTS = { partSize: 5 * 1024 * 1024, queueSize: 2 };

/** Writes a stream of any length as one object: in one request if it is shorter than a part, else in parts. */
export async function uploadObject({ s3, bucket, key, body, contentType, signal }: ObjectUpload): Promise<void> {
  const params = { Bucket: bucket, Key: key, Body: body, ContentType: contentType };
  const upload = new Upload({ client: s3, params, ...PARTS });
  const abort = () => void upload.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    await upload.done();
  } finally {
    signal?.removeEventListener('abort', abort);
    body.destroy();
  }
}

/** Identifies a document of an attempt. */
interface DocumentUpload {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly document: DocumentName;
  readonly body: Readable;
  readonly signal?: AbortSignal | undefined;
}

/** Writes an answer that is too large to stream through Lambda beside the output. */
export async function uploadDocument({ jobId, attempt, document, ...upload }: DocumentUpload): Promise<void> {
  const key = documentKey(jobId, attempt, document);
  await uploadObject({ ...upload, key, contentType: 'application/json' });
}
