import type { DocumentName, StreamName } from '../lifecycle/receipt.ts';

/**
 * Largest live chunk, bytes. Readers count on it: the chunk that holds an offset begins less than this before it, so
 * that a tail needs no listing from the start.
 */
export const LIVE_CHUNK_BYTES = 1024 * 1024;

const ATTEMPT_DIGITS = 6;
const OFFSET_DIGITS = 16;

/** Everything of one attempt lies under this; keys of later attempts sort later. */
export function attemptPrefix(jobId: string, attempt: number): string {
  return `jobs/${jobId}/attempts/${attempt.toString().padStart(ATTEMPT_DIGITS, '0')}/`;
}

/** What a stream's live chunks have in common; the joined object is not among them. */
export function liveChunkPrefix(jobId: string, attempt: number, stream: StreamName): string {
  return `${attemptPrefix(jobId, attempt)}${stream}/`;
}

/** A live chunk; chunks sort by the offset of their first byte in the stream. */
export function liveChunkKey(jobId: string, attempt: number, stream: StreamName, offset: number): string {
  return `${liveChunkPrefix(jobId, attempt, stream)}${offset.toString().padStart(OFFSET_DIGITS, '0')}`;
}

/** The offset that a live chunk's key ends with. */
export function liveChunkOffset(key: string): number {
  const digits = key.slice(key.lastIndexOf('/') + 1);
  if (!/^\d{16}$/.test(digits)) throw new Error(`not the key of a live chunk: ${key}`);
  return Number(digits);
}

/** The whole stream, written once when the attempt has ended. */
export function joinedKey(jobId: string, attempt: number, stream: StreamName): string {
  return `${attemptPrefix(jobId, attempt)}${stream}.log`;
}

export function receiptKey(jobId: string, attempt: number): string {
  return `${attemptPrefix(jobId, attempt)}receipt.json`;
}

/** What an attempt's attachments are called; written once they are all there. */
export function attachmentIndexKey(jobId: string, attempt: number): string {
  return `${attemptPrefix(jobId, attempt)}attachments.json`;
}

/** The content of an attachment, by its place in the index: no name that an agent chose becomes part of a key. */
export function attachmentKey(jobId: string, attempt: number, place: number): string {
  return `${attemptPrefix(jobId, attempt)}attachments/${place.toString().padStart(ATTEMPT_DIGITS, '0')}`;
}

export function documentKey(jobId: string, attempt: number, document: DocumentName): string {
  return `${attemptPrefix(jobId, attempt)}documents/${document}.json`;
}
