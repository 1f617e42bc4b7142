import { createHash, randomUUID } from 'node:crypto';
import {
  createReadStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { chosenParts, joinedObject, type PartsError, type UploadedPart, type WantedPart } from './joined-parts.ts';
import {
  type ObjectStore,
  type Persistence,
  readRecord,
  type Segment,
  type StoredObject,
  type Upload,
} from './object-record.ts';

type Part = Parameters<Persistence['upsertMultipartPart']>[1];

interface UploadFiles {
  readonly upload: Upload;
  readonly parts: Map<number, UploadedPart>;
}

/**
 * Stores the object emulator's objects in files: `BUCKET/records/HASH-OF-KEY` says where the bytes are, in files under
 * `BUCKET/data`. A record appears by one rename, so that a process killed at any moment leaves the old object or the
 * new one. Bytes never stay in memory, and completing an upload copies none: the emulator's own persistence would hold
 * a 1 GiB output twice in memory to join it, and once more for every read.
 */
export class ObjectFiles implements Persistence {
  readonly #folder: string;
  readonly #segments = new Map<string, readonly Segment[]>();
  readonly #uploads = new Map<string, UploadFiles>();
  readonly #failure: (message: string) => Error;
  readonly #log: (line: string) => void;

  /** @param failure creates the caller's error when the disk is full */
  constructor(folder: string, failure: (message: string) => Error, log: (line: string) => void) {
    this.#folder = folder;
    this.#failure = failure;
    this.#log = log;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Loads the objects of earlier runs, and deletes their unfinished uploads, which don't survive a restart. An object
   * whose record is damaged is missing: that is lost output, and no reason to lose the rest.
   */
  loadS3(store: ObjectStore): void {
    for (const bucket of readdirSync(this.#folder)) {
      // Not a bucket: left by a killed disk probe.
      if (bucket.startsWith('.')) continue;
      this.insertBucket(bucket);
      store.createBucket(bucket);
      const used = new Set<string>();
      let isComplete = true;
      for (const name of readdirSync(this.#path(bucket, 'records'))) {
        const path = this.#path(bucket, 'records', name);
        if (name.endsWith('.new')) {
          unlinkSync(path);
          continue;
        }
        const record = readRecord(path);
        if (typeof record === 'string') {
          this.#log(`${path} is damaged, so its object is missing; restore the file or remove it: ${record}`);
          isComplete = false;
          continue;
        }
        const { segments, ...object } = record;
        this.#segments.set(address(bucket, object.key), segments);
        for (const segment of segments) used.add(segment.file);
        store.restoreObject(bucket, { ...object, body: Buffer.alloc(0) });
      }
      // What looks unused may be the bytes of a damaged record's object.
      if (!isComplete) continue;
      for (const file of readdirSync(this.#path(bucket, 'data'))) {
        if (!used.has(file)) unlinkSync(this.#path(bucket, 'data', file));
      }
    }
  }

  insertBucket(name: string): void {
    mkdirSync(this.#path(name, 'data'), { recursive: true });
    mkdirSync(this.#path(name, 'records'), { recursive: true });
  }

  deleteBucket(name: string): void {
    rmSync(join(this.#folder, name), { recursive: true, force: true });
  }

  upsertObject(bucket: string, object: StoredObject): void {
    const segment = this.#writeSegment(bucket, object.body);
    try {
      this.#writeRecord(bucket, object, [segment]);
    } catch (error) {
      this.#removeSegments(bucket, [segment]);
      throw error;
    }
    this.#replace(bucket, object.key, [segment]);
  }

  deleteObject(bucket: string, key: string): void {
    const segments = this.#segments.get(address(bucket, key)) ?? [];
    this.#segments.delete(address(bucket, key));
    rmSync(this.#recordPath(bucket, key), { force: true });
    this.#removeSegments(bucket, segments);
  }

  /** The bytes `start` to `end`, both included, read from disk as the reader consumes them. */
  read(bucket: string, key: string, start: number, end: number): Readable {
    const segments = this.#segments.get(address(bucket, key)) ?? [];
    return Readable.from(this.#slices(bucket, segments, start, end), { objectMode: false });
  }

  /** Readable bytes from the start: fewer than were stored if a file is missing or truncated. */
  readableSize(bucket: string, key: string): number {
    let size = 0;
    for (const { file, length } of this.#segments.get(address(bucket, key)) ?? []) {
      const found = statSync(this.#path(bucket, 'data', file), { throwIfNoEntry: false })?.size ?? 0;
      size += Math.min(found, length);
      if (found < length) break;
    }
    return size;
  }

  readBody(bucket: string, key: string): Buffer {
    const segments = this.#segments.get(address(bucket, key)) ?? [];
    return Buffer.concat(segments.map(({ file }) => readFileSync(this.#path(bucket, 'data', file))));
  }

  insertMultipartUpload(upload: Upload): void {
    this.#uploads.set(upload.uploadId, { upload, parts: new Map() });
  }

  upsertMultipartPart(uploadId: string, part: Part): void {
    const files = this.#uploads.get(uploadId);
    if (files === undefined) return;
    const { bucket } = files.upload;
    const earlier = files.parts.get(part.partNumber);
    files.parts.set(part.partNumber, { ...this.#writeSegment(bucket, part.body), etag: part.etag });
    if (earlier !== undefined) this.#removeSegments(bucket, [earlier]);
    // The store keeps this very object until the upload completes.
    part.body = Buffer.alloc(0);
  }

  /**
   * Joins an upload's parts into its object.
   * @returns the object as the store keeps it, and its bucket; or S3's error code
   */
  joinParts(
    uploadId: string,
    wanted: readonly WantedPart[],
  ): { bucket: string; object: StoredObject } | 'NoSuchUpload' | PartsError {
    const files = this.#uploads.get(uploadId);
    if (files === undefined) return 'NoSuchUpload';
    const parts = chosenParts(files.parts, wanted);
    if (typeof parts === 'string') return parts;
    const { bucket } = files.upload;
    const object = joinedObject(files.upload, parts);
    const segments = parts.map(({ file, length }) => ({ file, length }));
    this.#writeRecord(bucket, object, segments);
    this.#replace(bucket, object.key, segments);
    for (const { partNumber } of wanted) files.parts.delete(partNumber);
    return { bucket, object };
  }

  deleteMultipartUpload(uploadId: string): void {
    const files = this.#uploads.get(uploadId);
    this.#uploads.delete(uploadId);
    if (files !== undefined) this.#removeSegments(files.upload.bucket, [...files.parts.values()]);
  }

  completeMultipartUpload(): void {
    throw new Error('the emulator completes uploads by joinParts');
  }

  renameObject(): void {
    throw new Error('renaming objects is not part of the emulator');
  }

  saveBucketLifecycleConfiguration(): void {}
  deleteBucketLifecycleConfiguration(): void {}
  deleteObjectsByBucket(): void {}
  deleteAllObjects(): void {}
  deleteAllMultipartUploads(): void {}
  purgeAll(): void {}
  close(): void {}

  async *#slices(bucket: string, segments: readonly Segment[], start: number, end: number): AsyncGenerator<Buffer> {
    let offset = 0;
    for (const { file, length } of segments) {
      const from = Math.max(start - offset, 0);
      const to = Math.min(end - offset, length - 1);
      offset += length;
      if (from <= to) yield* createReadStream(this.#path(bucket, 'data', file), { start: from, end: to });
    }
  }

  #writeRecord(bucket: string, { body: _body, ...object }: StoredObject, segments: readonly Segment[]): void {
    const path = this.#recordPath(bucket, object.key);
    this.#write(`${path}.new`, JSON.stringify({ ...object, segments }));
    renameSync(`${path}.new`, path);
  }

  #replace(bucket: string, key: string, segments: readonly Segment[]): void {
    const replaced = this.#segments.get(address(bucket, key)) ?? [];
    this.#segments.set(address(bucket, key), segments);
    this.#removeSegments(bucket, replaced);
  }

  #writeSegment(bucket: string, body: Buffer): Segment {
    const file = randomUUID();
    this.#write(this.#path(bucket, 'data', file), body);
    return { file, length: body.length };
  }

  /** Writes a file atomically. */
  #write(path: string, content: Buffer | string): void {
    try {
      writeFileSync(path, content);
    } catch (error) {
      rmSync(path, { force: true });
      throw this.#failure(`an object could not be written: ${String(error)}`);
    }
  }

  #removeSegments(bucket: string, segments: readonly Segment[]): void {
    for (const { file } of segments) rmSync(this.#path(bucket, 'data', file), { force: true });
  }

  #recordPath(bucket: string, key: string): string {
    return this.#path(bucket, 'records', createHash('sha256').update(key).digest('hex'));
  }

  #path(bucket: string, ...rest: string[]): string {
    return join(this.#folder, bucket, ...rest);
  }
}

function address(bucket: string, key: string): string {
  return `${bucket}/${key}`;
}
