import { type ListObjectsV2CommandOutput, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import type { StreamName } from '../receipts/receipt.ts';
import { joinedKey, LIVE_CHUNK_BYTES, liveChunkKey, liveChunkOffset, liveChunkPrefix } from './output-keys.ts';
import { isMissing, type OutputSource, readObject } from './output-source.ts';

/** Identifies a stream and where it is stored. */
export interface StreamLocation {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly stream: StreamName;
}

/** One live chunk: its offset in the stream and its length, bytes. */
interface LiveChunk {
  readonly offset: number;
  readonly size: number;
}

/** Chunks fetched at once: many small ones would be slow one by one, and together they must not use much memory. */
const BATCH = { chunks: 16, bytes: 4 * LIVE_CHUNK_BYTES };

/**
 * The live chunks that contain the stream from byte `from`, in order. Earlier chunks are listed only if no later one
 * exists, so that the stream's size is known.
 */
export async function listLiveChunks(location: StreamLocation, from: number): Promise<LiveChunk[]> {
  const { s3, bucket, jobId, attempt, stream } = location;
  const skipTo = from - LIVE_CHUNK_BYTES;
  const pages = paginateListObjectsV2(
    { client: s3 },
    {
      Bucket: bucket,
      Prefix: liveChunkPrefix(jobId, attempt, stream),
      StartAfter: skipTo < 0 ? undefined : liveChunkKey(jobId, attempt, stream, skipTo),
    },
  );
  const chunks: LiveChunk[] = [];
  for await (const page of pages) chunks.push(...chunksOf(page));
  return chunks.length === 0 && skipTo >= 0 ? listLiveChunks(location, 0) : chunks;
}

/** Bytes of a stream are missing between stored chunks. */
export class LostOutputError extends Error {
  override readonly name = 'LostOutputError';
  /** The stream up to the first missing byte; valid only if the stream was opened from its first byte. */
  readonly before: OutputSource;

  constructor(message: string, before: OutputSource) {
    super(message);
    this.before = before;
  }
}

/**
 * A stream that is still being written, as listed.
 * @throws LostOutputError if bytes from `from` are missing between chunks: they must never be skipped silently
 */
export function liveOutput(location: StreamLocation, chunks: readonly LiveChunk[], from: number): OutputSource {
  const first = chunks[0]?.offset ?? 0;
  if (first > from) throw new LostOutputError(gapMessage(location, from, first), NOTHING);
  let end = first;
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.offset !== end) {
      const before = sourceOf(location, chunks.slice(0, index), end);
      throw new LostOutputError(gapMessage(location, end, chunk.offset), before);
    }
    end += chunk.size;
  }
  return sourceOf(location, chunks, end);
}

/** The output of an attempt that has written nothing. */
export const NOTHING: OutputSource = { size: 0, async *read() {} };

function sourceOf(location: StreamLocation, chunks: readonly LiveChunk[], size: number): OutputSource {
  return { size, read: (from = 0, to = size) => readChunks(location, chunks, from, Math.min(to, size)) };
}

/** Reads chunks in order. If one is missing, the stream has been joined meanwhile, and reading continues there. */
async function* readChunks(
  location: StreamLocation,
  chunks: readonly LiveChunk[],
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  const wanted = chunks.filter((chunk) => chunk.offset + chunk.size > from && chunk.offset < to);
  if (wanted[0] !== undefined && wanted[0].offset > from) throw gap(location, from, wanted[0].offset);
  let position = from;
  for (const batch of batches(wanted)) {
    const bodies = await Promise.allSettled(batch.map((chunk) => fetchChunk(location, chunk, from, to)));
    for (const body of bodies) {
      if (body.status === 'fulfilled') {
        position += body.value.length;
        yield body.value;
      } else if (isMissing(body.reason)) {
        yield* readJoined(location, position, to);
        return;
      } else throw body.reason;
    }
  }
}

async function fetchChunk(location: StreamLocation, chunk: LiveChunk, from: number, to: number): Promise<Buffer> {
  const { s3, bucket, jobId, attempt, stream } = location;
  const parts = await Array.fromAsync(
    readObject({
      s3,
      bucket,
      key: liveChunkKey(jobId, attempt, stream, chunk.offset),
      from: Math.max(from - chunk.offset, 0),
      to: Math.min(to - chunk.offset, chunk.size),
    }),
  );
  return Buffer.concat(parts);
}

async function* readJoined(location: StreamLocation, from: number, to: number): AsyncGenerator<Buffer> {
  const { s3, bucket, jobId, attempt, stream } = location;
  try {
    yield* readObject({ s3, bucket, key: joinedKey(jobId, attempt, stream), from, to });
  } catch (error) {
    throw isMissing(error) ? gap(location, from, to) : error;
  }
}

function* batches(chunks: readonly LiveChunk[]): Generator<LiveChunk[]> {
  let batch: LiveChunk[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    if (batch.length === BATCH.chunks || (batch.length > 0 && bytes + chunk.size > BATCH.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(chunk);
    bytes += chunk.size;
  }
  if (batch.length > 0) yield batch;
}

function chunksOf(page: ListObjectsV2CommandOutput): LiveChunk[] {
  return (page.Contents ?? []).flatMap(({ Key: key, Size: size }) =>
    key === undefined || size === undefined ? [] : [{ offset: liveChunkOffset(key), size }],
  );
}

function gap(location: StreamLocation, from: number, to: number): Error {
  return new Error(gapMessage(location, from, to));
}

function gapMessage({ jobId, attempt, stream }: StreamLocation, from: number, to: number): string {
  return `bytes ${from} to ${to} of ${stream} of attempt ${attempt} of ${jobId} are missing in the object store`;
}
