import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import * as z from 'zod';
import { attachmentIndexKey, attachmentKey } from './output-keys.ts';
import { isMissing, readObject } from './output-source.ts';

/** A file that an attempt left behind. Its place in the index says where its content is. */
const attachmentSchema = z.object({
  /** Relative to `$PROMPTQ_ATTACHMENTS`, segments separated by `/`. */
  path: z.string(),
  bytes: z.number(),
  /** Hex. */
  sha256: z.string(),
});
export type Attachment = z.output<typeof attachmentSchema>;

const indexSchema = z.object({ version: z.literal(1), attachments: z.array(attachmentSchema) });

/** Which file of which attempt. */
export interface AttachmentPlace {
  readonly jobId: string;
  readonly attempt: number;
  readonly place: number;
  readonly bytes: number;
}

/**
 * The files that attempts left in their attachments folder, byte for byte: secrets are masked in their names only. Needs
 * `s3:GetObject` on `jobs/*` and `s3:ListBucket` on the bucket; whoever writes indexes also `s3:PutObject`.
 */
export class AttachmentStore {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  /** What an attempt left; empty if it left nothing, or has not ended yet. */
  async list(jobId: string, attempt: number): Promise<Attachment[]> {
    if (attempt === 0) return [];
    try {
      const command = new GetObjectCommand({ Bucket: this.#bucket, Key: attachmentIndexKey(jobId, attempt) });
      const { Body: body } = await this.#s3.send(command);
      return indexSchema.parse(JSON.parse((await body?.transformToString()) ?? '')).attachments;
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** Says what an attempt left; to be called when the content of all of it is there. */
  async putIndex(jobId: string, attempt: number, attachments: readonly Attachment[]): Promise<void> {
    const Body = JSON.stringify({ version: 1, attachments });
    const Key = attachmentIndexKey(jobId, attempt);
    await this.#s3.send(new PutObjectCommand({ Bucket: this.#bucket, Key, Body, ContentType: 'application/json' }));
  }

  /** The content; a request that breaks is taken up where it broke. */
  read({ jobId, attempt, place, bytes }: AttachmentPlace): AsyncIterable<Buffer> {
    const key = attachmentKey(jobId, attempt, place);
    return readObject({ s3: this.#s3, bucket: this.#bucket, key, from: 0, to: bytes });
  }

  /** A URL that brings the content without credentials for some seconds, as a download. */
  async presign({ jobId, attempt, place }: AttachmentPlace, disposition: string, seconds: number): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.#bucket,
      Key: attachmentKey(jobId, attempt, place),
      ResponseContentDisposition: disposition,
      ResponseContentType: 'application/octet-stream',
    });
    return await getSignedUrl(this.#s3, command, { expiresIn: seconds });
  }
}
