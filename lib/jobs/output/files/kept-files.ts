import { createHash } from 'node:crypto';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { knownOrLater } from '../../../contract/later-code.ts';
import { NOT_KEPT, NOT_LISTED } from '../../../contract/not-kept.ts';
import { FILE_SELECTIONS } from '../../../contract/schemas/jobs/files.ts';
import { filesContentKey, filesIndexKey } from '../output-keys.ts';
import { isMissing, readObject } from '../output-source.ts';

/*
 * The files that an attempt kept of its job's folder are two objects, whatever their number: a list, and the bytes of all
 * of them one after the other, of which a request reads the range of one file. Names that an agent chose are in the list
 * only, never part of a key.
 */

const entrySchema = z.object({
  /** Relative to the folder, segments separated by `/`, with secrets masked. */
  path: z.string(),
  /** Size of what is kept, else of the file when it was found. */
  bytes: z.number(),
  /** Permission bits. */
  mode: z.number(),
  /** Absent: not kept. */
  kept: z.object({ at: z.number(), sha256: z.string(), masked: z.boolean() }).optional(),
  /** Why it is not kept. */
  reason: knownOrLater(Object.keys(NOT_KEPT) as (keyof typeof NOT_KEPT)[]).optional(),
});
export type FileEntry = z.output<typeof entrySchema>;

const fileIndexSchema = z.object({
  version: z.literal(1),
  selection: knownOrLater(FILE_SELECTIONS),
  files: z.array(entrySchema),
  not_listed: z.array(
    z.object({ reason: knownOrLater(Object.keys(NOT_LISTED) as (keyof typeof NOT_LISTED)[]), count: z.number() }),
  ),
});
export type FileIndex = z.output<typeof fileIndexSchema>;

interface Place {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly jobId: string;
  readonly attempt: number;
}

/** What an attempt kept; undefined: it kept nothing, or has not ended. @throws Error if the list can't be read */
export async function readFileIndex({ s3, bucket, jobId, attempt }: Place): Promise<FileIndex | undefined> {
  if (attempt === 0) return undefined;
  const command = new GetObjectCommand({ Bucket: bucket, Key: filesIndexKey(jobId, attempt) });
  const text = await s3.send(command).then(
    async ({ Body }) => await Body?.transformToString(),
    (error: unknown) => {
      if (!isMissing(error)) throw error;
    },
  );
  return text === undefined ? undefined : fileIndexSchema.parse(JSON.parse(text));
}

/**
 * The content of a kept file. The last piece is held back until the digest of the whole has been checked, so that altered
 * content never ends as if it were complete.
 * @throws Error if the content is gone, or not what was recorded
 */
export async function* readKeptFile(
  { s3, bucket, jobId, attempt }: Place,
  { bytes, kept: { at, sha256 } }: Required<Pick<FileEntry, 'bytes' | 'kept'>>,
): AsyncGenerator<Buffer> {
  const key = filesContentKey(jobId, attempt);
  const hash = createHash('sha256');
  let last: Buffer | undefined;
  for await (const chunk of readObject({ s3, bucket, key, from: at, to: at + bytes })) {
    if (last !== undefined) yield last;
    hash.update(chunk);
    last = chunk;
  }
  if (hash.digest('hex') !== sha256) throw new Error(`${key}: a file is not what was recorded`);
  if (last !== undefined) yield last;
}
