import { createHash, type Hash } from 'node:crypto';
import { opendir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { FileEntry, FileIndex } from '../../lib/jobs/output/files/kept-files.ts';
import { filesContentKey, filesIndexKey } from '../../lib/jobs/output/output-keys.ts';
import { uploadObject } from '../../lib/jobs/output/output-upload.ts';
import { isMisleading } from '../attachments/find-attachments.ts';
import { maskedNames } from '../attachments/keep-attachments.ts';
import { machineTiming, retrying } from '../output/timing.ts';
import type { Redaction } from '../secrets/redaction.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { type FolderRead, readFolder } from './read-folder.ts';

interface FilesToKeep extends Pick<FolderRead, 'folder' | 'account' | 'paths' | 'since' | 'signal'> {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly selection: FileIndex['selection'];
  readonly redaction: Redaction;
  readonly onFailure: (error: unknown) => void;
  readonly limits?: FolderRead['limits'];
}

/** How often the folder is read and stored before it is given up. */
const TRIES = 3;

/**
 * Keeps a copy of the files in a job's folder: nothing of the folder is left when another worker, or no worker, is there to
 * ask. Their content is masked like output. Files that hold a secret are marked, since they are not what the job wrote.
 * Takes two requests of the object store, or none if there are no files; more only for the parts of a large copy.
 * @throws Error if the folder could not be read, or the copy not stored
 */
export async function keepFiles(options: FilesToKeep): Promise<void> {
  if (await isEmpty(options)) return;
  const { signal, onFailure } = options;
  await retrying(() => keepOnce(options), { timing: machineTiming, signal, tries: TRIES, onFailure });
}

/** Whether the folder is known to have nothing to keep, as usual: starting a process takes milliseconds. */
async function isEmpty({ folder, paths }: FilesToKeep): Promise<boolean> {
  if (paths !== undefined) return paths.length === 0;
  try {
    const opened = await opendir(folder);
    try {
      return (await opened.read()) === null;
    } finally {
      await opened.close();
    }
  } catch (error) {
    // The job has removed it. What else fails is the account's to try.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

async function keepOnce(options: FilesToKeep): Promise<void> {
  const { s3, bucket, jobId, attempt, selection, redaction, signal } = options;
  const found: Found = { files: [], unnamed: 0, more: 0, isCut: false };
  const content = contentOf(options, found);
  const first = await content.next();
  if (first.done !== true) {
    const key = filesContentKey(jobId, attempt);
    const body = Readable.from(from(first.value, content), { objectMode: false });
    await uploadObject({ s3, bucket, key, body, contentType: 'application/octet-stream', signal });
  }
  const { files, unnamed, more, isCut } = found;
  const names = maskedNames(
    files.map(({ path }) => path),
    redaction,
  );
  const index: FileIndex = {
    version: 1,
    selection,
    files: files.map((file, place) => ({ ...file, path: names[place] ?? file.path })),
    not_listed: [
      ...(unnamed > 0 ? [{ reason: 'name' as const, count: unnamed }] : []),
      ...(more > 0 ? [{ reason: 'count' as const, count: more }] : []),
      ...(isCut ? [{ reason: 'time' as const, count: 1 }] : []),
    ],
  };
  if (index.files.length === 0 && index.not_listed.length === 0) return;
  const put = { Bucket: bucket, Key: filesIndexKey(jobId, attempt), ContentType: 'application/json' };
  await s3.send(new PutObjectCommand({ ...put, Body: JSON.stringify(index) }), { abortSignal: signal });
}

async function* from(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/** What a pass through the folder found. */
interface Found {
  readonly files: FileEntry[];
  unnamed: number;
  more: number;
  isCut: boolean;
}

/** A file whose content passes, with what is known of it so far. */
interface Passing {
  readonly path: string | undefined;
  readonly mode: number;
  readonly at: number;
  readonly redactor: Redactor;
  readonly hash: Hash;
}

/** The masked content of all files, in the order of `found.files`, which it fills. */
async function* contentOf({ redaction, limits = LIMITS.files, ...read }: FilesToKeep, found: Found) {
  const { files } = found;
  let at = 0;
  let passing: Passing | undefined;
  const masked = function* (bytes: Buffer) {
    passing?.hash.update(bytes);
    at += bytes.length;
    // What a process has added to the pipe.
    if (at > limits.totalBytes) throw new Error('the files have more bytes than were to be read');
    if (bytes.length > 0) yield bytes;
  };
  for await (const frame of readFolder({ ...read, limits })) {
    if (frame.kind === 'file')
      passing = {
        ...{ path: nameOf(frame.path, limits), mode: frame.mode, at },
        ...{ redactor: redaction.redactor(), hash: createHash('sha256') },
      };
    else if (frame.kind === 'piece') {
      if (passing?.path !== undefined) yield* masked(passing.redactor.push(frame.bytes));
    } else if (frame.kind === 'end') {
      found.more = frame.more;
      found.isCut = frame.isCut;
    } else if (frame.kind === 'left') {
      const path = nameOf(frame.path, limits);
      const { mode, bytes, reason } = frame;
      if (path === undefined) found.unnamed += 1;
      else files.push({ path, bytes, mode, reason });
    } else if (passing?.path === undefined) found.unnamed += 1;
    else {
      yield* masked(passing.redactor.flush());
      const { path, mode, at: begin, hash, redactor } = passing;
      const entry = { path, bytes: at - begin, mode };
      const kept = { at: begin, sha256: hash.digest('hex'), masked: redactor.hasMasked };
      files.push(frame.kind === 'whole' ? { ...entry, kept } : { ...entry, reason: 'unreadable' });
    }
    if (files.length > limits.count) throw new Error('the folder has more entries than were to be listed');
  }
}

/** A path as text; undefined: it misleads, or is too long. */
function nameOf(path: Buffer, { pathBytes }: FolderRead['limits']): string | undefined {
  const text = path.toString();
  return path.length > pathBytes || isMisleading(text) ? undefined : text;
}
