import { GetObjectCommand, HeadObjectCommand, NotFound, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import * as z from 'zod';
import { NewerSchemaError } from '../lifecycle/newer-schema.ts';
import {
  type DocumentName,
  RECEIPT_VERSION,
  type Receipt,
  receiptSchema,
  type StreamName,
} from '../receipts/receipt.ts';
import { listLiveChunks, liveOutput, type StreamLocation } from './live-output.ts';
import { documentKey, joinedKey, receiptKey } from './output-keys.ts';
import { isChecksumMismatch, isMissing, type OutputSource, readObject } from './output-source.ts';

/**
 * The output of attempts in the object store. Needs `s3:GetObject` on `jobs/*` and `s3:ListBucket` on the bucket
 * (without it S3 answers 403 instead of 404 for missing objects); writing receipts also needs `s3:PutObject`.
 */
export class OutputStore {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  /**
   * The record of an attempt's outcome; `undefined` if its worker has not written one.
   * @throws NewerSchemaError if a later version wrote it; DamagedReceiptError if the object is not a receipt
   */
  async readReceipt(jobId: string, attempt: number): Promise<Receipt | undefined> {
    const key = receiptKey(jobId, attempt);
    try {
      const text = await this.#readText(key);
      if (text === undefined) return undefined;
      const content: unknown = JSON.parse(text);
      if (isNewerReceipt(content)) throw new NewerSchemaError(key);
      return receiptSchema.parse(content);
    } catch (cause) {
      const isDamaged = cause instanceof SyntaxError || cause instanceof z.ZodError || isChecksumMismatch(cause);
      throw isDamaged ? new DamagedReceiptError(`${key} is not a receipt`, { cause }) : cause;
    }
  }

  async putReceipt(receipt: Receipt): Promise<void> {
    await this.#s3.send(
      new PutObjectCommand({
        Bucket: this.#bucket,
        Key: receiptKey(receipt.job_id, receipt.attempt),
        Body: JSON.stringify(receipt),
        ContentType: 'application/json',
      }),
    );
  }

  /**
   * A stream of an attempt as persisted now: the joined object, else the live chunks, else empty. Its bytes stay
   * readable while the process lives, even if the chunks are joined meanwhile.
   * @param from nothing before this byte will be read, which saves listing earlier live chunks
   * @throws Error if persisted bytes are missing
   */
  async openStream(jobId: string, attempt: number, stream: StreamName, from = 0): Promise<OutputSource> {
    const location: StreamLocation = { s3: this.#s3, bucket: this.#bucket, jobId, attempt, stream };
    const joined = await this.#joinedSource(location);
    if (joined !== undefined) return joined;
    const chunks = await listLiveChunks(location, from);
    // Chunks are deleted only after the joined object is written: if it is still missing, the listing was complete.
    return (await this.#joinedSource(location)) ?? liveOutput(location, chunks, from);
  }

  async hasDocument(jobId: string, attempt: number, document: DocumentName): Promise<boolean> {
    return ((await this.#size(documentKey(jobId, attempt, document))) ?? 0) > 0;
  }

  /** A presigned URL that downloads a document without credentials and expires after `seconds`. */
  async presignDocument(jobId: string, attempt: number, document: DocumentName, seconds: number): Promise<string> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: documentKey(jobId, attempt, document) });
    return getSignedUrl(this.#s3, command, { expiresIn: seconds });
  }

  async #joinedSource({ jobId, attempt, stream }: StreamLocation): Promise<OutputSource | undefined> {
    const object = { s3: this.#s3, bucket: this.#bucket, key: joinedKey(jobId, attempt, stream) };
    const size = await this.#size(object.key);
    if (size === undefined) return undefined;
    return { size, read: (from = 0, to = size) => readObject({ ...object, from, to: Math.min(to, size) }) };
  }

  async #size(key: string): Promise<number | undefined> {
    try {
      const { ContentLength: size } = await this.#s3.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key }));
      return size;
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  async #readText(key: string): Promise<string | undefined> {
    try {
      const { Body: body } = await this.#s3.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
      return await body?.transformToString();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

/** The stored record of an attempt can't be read as a receipt. */
export class DamagedReceiptError extends Error {
  override readonly name = 'DamagedReceiptError';
}

const versioned = z.object({ version: z.number().gt(RECEIPT_VERSION) });

function isNewerReceipt(content: unknown): boolean {
  return versioned.safeParse(content).success;
}
