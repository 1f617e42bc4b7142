import { createHash, type Hash } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { MASK } from '../../lib/contract/mask.ts';
import type { Attachment, AttachmentStore } from '../../lib/jobs/output/attachments/attachment-store.ts';
import { attachmentKey } from '../../lib/jobs/output/output-keys.ts';
import { uploadObject } from '../../lib/jobs/output/output-upload.ts';
import { machineTiming, retrying } from '../output/timing.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { type FoundFile, findAttachments, warningsOf } from './find-attachments.ts';

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

/**
 * Uploads an attempt's files in constant memory, then the index that names them. A file that can't be read is left out: it
 * denies it, has vanished since, or is another user's.
 */
export async function keepAttachments(options: AttachmentsToKeep): Promise<KeptAttachments> {
  const { files, left, unread } = await findAttachments(options.folder, undefined, options.owner);
  const sent: Sent = new Map();
  let kept = await readableOf(options, files);
  for (let isComplete = false; !isComplete; ) {
    const rest = await sendAll(options, kept, sent);
    isComplete = rest.length === kept.length;
    kept = rest;
  }
  const stored = new Set(kept);
  const lost = files.filter((file) => !stored.has(file)).map(({ path }) => path);
  const warnings = warningsOf({ left, unread: [...unread, ...lost] });
  if (kept.length === 0 && options.isContinued !== true) return { attachments: [], warnings };
  const names = maskedNames(
    kept.map(({ path }) => path),
    options.redaction,
  );
  const attachments = kept.map((file, place) => ({
    path: names[place] ?? file.path,
    bytes: file.bytes,
    sha256: sent.get(file)?.sha256 ?? '',
  }));
  const { index, jobId, attempt, signal, onFailure } = options;
  await retrying(() => index.putIndex(jobId, attempt, attachments), { timing: machineTiming, signal, onFailure });
  return { attachments, warnings };
}

/** Opens a found file, which has to belong to the job, or to the worker. @throws UnreadableFileError */
async function openOf({ folder, owner }: AttachmentsToKeep, { path }: FoundFile): Promise<FileHandle> {
  const isOwn = path.startsWith(`${OWN_FOLDER}/`);
  return await openFound(join(folder, path), isOwn ? process.geteuid?.() : owner);
}

/** Those of the files that can be opened now. */
async function readableOf(options: AttachmentsToKeep, files: readonly FoundFile[]): Promise<readonly FoundFile[]> {
  const readable: FoundFile[] = [];
  for (const file of files) {
    try {
      await (await openOf(options, file)).close();
    } catch (error) {
      if (error instanceof UnreadableFileError) continue;
    }
    readable.push(file);
  }
  return readable;
}

/** The position under which a file was stored, which names the object, and its SHA-256. */
type Sent = Map<FoundFile, { readonly place: number; readonly sha256: string }>;

/**
 * Uploads files under their positions in the list, unless they are there.
 * @returns the files without those that could not be read: the others have new positions
 */
async function sendAll(
  options: AttachmentsToKeep,
  files: readonly FoundFile[],
  sent: Sent,
): Promise<readonly FoundFile[]> {
  const { s3, bucket, jobId, attempt, signal, onFailure } = options;
  const unread = new Set<FoundFile>();
  const send = async (file: FoundFile, place: number) => {
    const target = { s3, bucket, key: attachmentKey(jobId, attempt, place), signal };
    try {
      sent.set(file, { place, sha256: await upload(target, options, file) });
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      unread.add(file);
    }
  };
  const keep = async ({ file, place }: { readonly file: FoundFile; readonly place: number }) =>
    await retrying(() => send(file, place), { timing: machineTiming, signal, onFailure });
  const moved = files
    .map((file, place) => ({ file, place }))
    .filter(({ file, place }) => sent.get(file)?.place !== place);
  const small = moved.filter(({ file }) => file.bytes <= SMALL).values();
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (const one of small) await keep(one);
  });
  await Promise.all(lanes);
  for (const one of moved) if (one.file.bytes > SMALL) await keep(one);
  return files.filter((file) => !unread.has(file));
}

interface Target {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * @returns the content's SHA-256, hex.
 * @throws UnreadableFileError
 */
async function upload(target: Target, options: AttachmentsToKeep, found: FoundFile): Promise<string> {
  const file = await openOf(options, found);
  try {
    const hash = createHash('sha256');
    const content = pieces(file, found.bytes, hash);
    if (found.bytes <= SMALL) await put(target, await Readable.from(content).toArray());
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

/** Names of files as shown: secrets in them masked, and still distinct. */
export function maskedNames(names: readonly string[], redaction: Redaction): string[] {
  const masked = names.map((name) => redaction.text(name));
  const taken = new Set(names.filter((name, place) => masked[place] === name));
  const count = new Map<string, number>();
  return masked.map((name, place) => {
    if (name === names[place]) return name;
    for (;;) {
      const same = (count.get(name) ?? 0) + 1;
      count.set(name, same);
      const distinct = same === 1 ? name : name.replace(MASK, `${MASK}${same}`);
      if (taken.has(distinct)) continue;
      taken.add(distinct);
      return distinct;
    }
  });
}

/** A file can't be read, or was replaced after it was found: its job let others write there. A retry finds the same. */
class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/** Codes of failures of this process, not of a file. */
const PASSING: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM'];

/** Waits for a step of reading a file. @throws UnreadableFileError */
async function reading<T>(step: Promise<T>): Promise<T> {
  return await step.catch((error: NodeJS.ErrnoException) => {
    throw PASSING.includes(error.code) ? error : new UnreadableFileError(error.message);
  });
}

/**
 * Opens a file that was found in a folder in which others may have changed it since.
 * @param owner user id that it has to belong to; undefined: any
 * @throws UnreadableFileError
 */
async function openFound(path: string, owner: number | undefined): Promise<FileHandle> {
  // Don't follow a link, and don't wait on a FIFO, that has replaced the file since. A link in place of a folder is
  // followed, so its target must belong to the owner too.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await reading(open(path, flags));
  try {
    const found = await reading(file.stat());
    if (found.isFile() && found.uid === (owner ?? found.uid)) return file;
    throw new UnreadableFileError(`${path} has changed`);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Exactly `bytes` bytes of a file, hashed as they are read. @throws UnreadableFileError */
async function* pieces(file: FileHandle, bytes: number, hash: Hash): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(256 * 1024, bytes - at));
    const { bytesRead } = await reading(file.read(buffer, 0, buffer.length, at));
    if (bytesRead === 0) throw new UnreadableFileError('it has become shorter');
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    at += bytesRead;
    yield piece;
  }
}
