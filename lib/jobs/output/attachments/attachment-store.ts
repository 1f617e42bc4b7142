import { createHash } from 'node:crypto';
import { GetObjectCommand, HeadObjectCommand, NotFound, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import * as z from 'zod';
import { attachmentIndexKey, attachmentKey } from '../output-keys.ts';
import { isChecksumMismatch, isMissing, readObject } from '../output-source.ts';

/** A file that an attempt left behind. Its position in the index determines the key of its content. */
const attachmentSchema = z.object({
  /** Relative to `$PROMPTQ_ATTACHMENTS`, segments separated by `/`. */
  path: z.string(),
  bytes: z.number(),
  /** Hex. */
  sha256: z.string(),
});
export type Attachment = z.output<typeof attachmentSchema>;

const indexSchema = z.object({ version: z.literal(1), attachments: z.array(attachmentSchema) });
const indexText = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.issues.push({ code: 'custom', input: text, message: 'expected JSON' });
      return z.NEVER;
    }
  })
  .pipe(indexSchema);

/** Identifies a file of an attempt. */
interface AttachmentRef {
  readonly jobId: string;
  readonly attempt: number;
  readonly index: number;
  readonly bytes: number;
}

/** A file with the recorded digest of its content. */
interface AttachmentContent extends AttachmentRef {
  /** Hex; empty if unknown. */
  readonly sha256: string;
}

/**
 * The files that attempts left in their attachments folder, byte for byte: secrets are masked in file names only. Needs
 * `s3:GetObject` on `jobs/*` and `s3:ListBucket` on the bucket; writing indexes also needs `s3:PutObject`.
 */
export class AttachmentStore {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  /**
   * The attachments of an attempt; empty if it left none or has not ended.
   * @throws Error if the index can no longer be read
   */
  async list(jobId: string, attempt: number): Promise<Attachment[]> {
    const { attachments, isReadable } = await this.find(jobId, attempt);
    if (!isReadable) throw new Error(`${attachmentIndexKey(jobId, attempt)} is not a list of attachments`);
    return attachments;
  }

  /** The attachments that an attempt stored, maybe none; undefined: it stored no list, or one that can't be read. */
  async stored(jobId: string, attempt: number): Promise<readonly Attachment[] | undefined> {
    return indexText.safeParse(await this.#readIndex(jobId, attempt)).data?.attachments;
  }

  /** The attachments of an attempt, and whether their index can be read. */
  async find(jobId: string, attempt: number): Promise<{ attachments: Attachment[]; isReadable: boolean }> {
    const text = attempt === 0 ? undefined : await this.#readIndex(jobId, attempt);
    if (text === undefined) return { attachments: [], isReadable: true };
    const index = indexText.safeParse(text);
    return index.success
      ? { attachments: index.data.attachments, isReadable: true }
      : { attachments: [], isReadable: false };
  }

  /** Writes an attempt's index. Call it after all content is stored. */
  async putIndex(jobId: string, attempt: number, attachments: readonly Attachment[]): Promise<void> {
    const Body = JSON.stringify({ version: 1, attachments });
    const Key = attachmentIndexKey(jobId, attempt);
    await this.#s3.send(new PutObjectCommand({ Bucket: this.#bucket, Key, Body, ContentType: 'application/json' }));
  }

  /**
   * The content; a request that breaks is resumed. The last piece is held back until the digest of the whole has been
   * checked, so that altered content never ends as if it were complete.
   * @throws Error if the content is not what was recorded
   */
  async *read({ jobId, attempt, index, bytes, sha256 }: AttachmentContent): AsyncGenerator<Buffer> {
    const key = attachmentKey(jobId, attempt, index);
    const hash = createHash('sha256');
    let last: Buffer | undefined;
    for await (const chunk of readObject({ s3: this.#s3, bucket: this.#bucket, key, from: 0, to: bytes })) {
      if (last !== undefined) yield last;
      hash.update(chunk);
      last = chunk;
    }
    if (sha256 !== '' && hash.digest('hex') !== sha256) throw new Error(`${key} is not what was recorded`);
    if (last !== undefined) yield last;
  }

  /** Bytes of stored content; undefined if it is gone. */
  async size({ jobId, attempt, index }: Omit<AttachmentRef, 'bytes'>): Promise<number | undefined> {
    try {
      const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: attachmentKey(jobId, attempt, index) });
      return (await this.#s3.send(command)).ContentLength;
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  /** A presigned URL that downloads the content without credentials and expires after `seconds`. */
  async presign({ jobId, attempt, index }: AttachmentRef, disposition: string, seconds: number): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.#bucket,
      Key: attachmentKey(jobId, attempt, index),
      ResponseContentDisposition: disposition,
      ResponseContentType: 'application/octet-stream',
    });
    return await getSignedUrl(this.#s3, command, { expiresIn: seconds });
  }

  async #readIndex(jobId: string, attempt: number): Promise<string | undefined> {
    try {
      const command = new GetObjectCommand({ Bucket: this.#bucket, Key: attachmentIndexKey(jobId, attempt) });
      return (await (await this.#s3.send(command)).Body?.transformToString()) ?? '';
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (isChecksumMismatch(error)) return '';
      throw error;
    }
  }
}
