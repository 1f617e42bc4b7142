import { createHash, type Hash } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Attachment, AttachmentStore } from '../../lib/jobs/output/attachments/attachment-store.ts';
import { attachmentKey } from '../../lib/jobs/output/output-keys.ts';
import { uploadObject } from '../../lib/jobs/output/output-upload.ts';
import { retrying } from '../output/retrying.ts';
import { machineTiming } from '../output/timing.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { type FoundFile, findAttachments, warningsOf } from './find-attachments.ts';
import { maskedNames } from './masked-names.ts';

export interface AttachmentsToKeep {
  readonly s3: S3Client;
  readonly bucket: string;
  /** Receives the index of the attachments. */
  readonly index: Pick<AttachmentStore, 'putIndex'>;
  readonly jobId: string;
  readonly attempt: number;
  /** Where the agent left them. Nothing writes there anymore. */
  readonly folder: string;
  /** User id that owns them, except in the worker's own folder; undefined: this process's user. */
  readonly owner: number | undefined;
  /** The folder began with the attachments of an earlier attempt: none means that all were removed. */
  readonly isContinued?: boolean;
  /** Masks their names. */
  readonly redaction: Redaction;
  /** Aborts the upload; then none of them is listed. */
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

export interface KeptAttachments {
  readonly attachments: readonly Attachment[];
  readonly warnings: readonly string[];
}

/** Folder of the worker's own attachments. Whatever an agent puts there is removed. */
export const OWN_FOLDER = '.promptq';

/** Files up to this size take one request each, several at once. Larger ones are sent one after another, in parts. */
const SMALL = 1024 * 1024;
const AT_ONCE = 8;

/** Uploads an attempt's files in constant memory, then the index that names them. */
export async function keepAttachments(options: AttachmentsToKeep): Promise<KeptAttachments> {
  const { files, left } = await findAttachments(options.folder, undefined, options.owner);
  const warnings = warningsOf(left);
  if (files.length === 0 && options.isContinued !== true) return { attachments: [], warnings };
  const { s3, bucket, jobId, attempt, signal, onFailure } = options;
  const hashes = new Map<number, string>();
  const keep = async ({ path, bytes }: FoundFile, place: number) => {
    const key = attachmentKey(jobId, attempt, place);
    const owner = path.startsWith(`${OWN_FOLDER}/`) ? process.geteuid?.() : options.owner;
    const from = { path: join(options.folder, path), bytes, owner };
    let changed: ChangedFileError | undefined;
    const send = async () => {
      try {
        hashes.set(place, await upload({ s3, bucket, key, signal }, from));
      } catch (error) {
        // A retry would find the same changed file.
        if (!(error instanceof ChangedFileError)) throw error;
        changed = error;
      }
    };
    await retrying(send, { timing: machineTiming, signal, onFailure });
    if (changed !== undefined) throw changed;
  };
  const places = files.map((file, place) => ({ file, place }));
  const small = places.filter(({ file }) => file.bytes <= SMALL).values();
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (const { file, place } of small) await keep(file, place);
  });
  await Promise.all(lanes);
  for (const { file, place } of places) if (file.bytes > SMALL) await keep(file, place);
  const names = maskedNames(
    files.map(({ path }) => path),
    options.redaction,
  );
  const attachments = files.map(({ path, bytes }, place) => ({
    path: names[place] ?? path,
    bytes,
    sha256: hashes.get(place) ?? '',
  }));
  await retrying(() => options.index.putIndex(jobId, attempt, attachments), {
    timing: machineTiming,
    signal,
    onFailure,
  });
  return { attachments, warnings };
}

interface Target {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** A file was replaced after it was found: its job let others write there. */
class ChangedFileError extends Error {
  override readonly name = 'ChangedFileError';
}

/**
 * @returns the content's SHA-256, hex.
 * @throws ChangedFileError
 */
async function upload(
  target: Target,
  { path, bytes, owner }: FoundFile & Pick<AttachmentsToKeep, 'owner'>,
): Promise<string> {
  // Don't follow a link, and don't wait on a FIFO, that has replaced the file since. A link in place of a folder is
  // followed, so its target must belong to the job too.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.uid !== (owner ?? found.uid)) throw new ChangedFileError(`${path} has changed`);
    const hash = createHash('sha256');
    const content = pieces(file, bytes, hash);
    if (bytes <= SMALL) await put(target, await Readable.from(content).toArray());
    else {
      const body = Readable.from(content, { objectMode: false });
      await uploadObject({ ...target, body, contentType: 'application/octet-stream' });
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

async function put({ s3, bucket, key, signal }: Target, parts: Buffer[]): Promise<void> {
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: key,
    Body: Buffer.concat(parts),
    ContentType: 'application/octet-stream',
  });
  await s3.send(command, { abortSignal: signal });
}

/** Exactly `bytes` bytes of a file, hashed as they are read. */
async function* pieces(file: FileHandle, bytes: number, hash: Hash): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(256 * 1024, bytes - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new Error('the file has become shorter');
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    at += bytesRead;
    yield piece;
  }
}
