import type { DocumentName, StreamName } from '../receipts/receipt.ts';

/**
 * Largest live chunk, bytes. Readers rely on it: the chunk that contains an offset begins less than this before it, so
 * that reading a tail needs no listing from the start.
 */
export const LIVE_CHUNK_BYTES = 1024 * 1024;

const ATTEMPT_DIGITS = 6;
const OFFSET_DIGITS = 16;

/** Prefix of all objects of a job's attempts. */
export function attemptsPrefix(jobId: string): string {
  return `jobs/${jobId}/attempts/`;
}

/** The attempt that a key below `attemptsPrefix` belongs to. */
export function attemptInKey(key: string): number {
  return Number(/^jobs\/[^/]+\/attempts\/(\d+)\//.exec(key)?.[1] ?? Number.POSITIVE_INFINITY);
}

/** Prefix of all objects of one attempt; keys of later attempts sort later. */
export function attemptPrefix(jobId: string, attempt: number): string {
  return `${attemptsPrefix(jobId)}${attempt.toString().padStart(ATTEMPT_DIGITS, '0')}/`;
}

/** Prefix of a stream's live chunks; the joined object does not have it. */
export function liveChunkPrefix(jobId: string, attempt: number, stream: StreamName): string {
  return `${attemptPrefix(jobId, attempt)}${stream}/`;
}

/** Key of a live chunk; chunks sort by the offset of their first byte. */
export function liveChunkKey(jobId: string, attempt: number, stream: StreamName, offset: number): string {
  return `${liveChunkPrefix(jobId, attempt, stream)}${offset.toString().padStart(OFFSET_DIGITS, '0')}`;
}

/** The offset at the end of a live chunk's key. */
export function liveChunkOffset(key: string): number {
  const digits = key.slice(key.lastIndexOf('/') + 1);
  if (!/^\d{16}$/.test(digits)) throw new Error(`not the key of a live chunk: ${key}`);
  return Number(digits);
}

/** Key of the whole stream, written once when the attempt has ended. */
export function joinedKey(jobId: string, attempt: number, stream: StreamName): string {
  return `${attemptPrefix(jobId, attempt)}${stream}.log`;
}

export function receiptKey(jobId: string, attempt: number): string {
  return `${attemptPrefix(jobId, attempt)}receipt.json`;
}

export function isReceiptKey(key: string): boolean {
  return /\/attempts\/\d+\/receipt\.json$/.test(key);
}

/** Key of an attempt's attachment index, written once all attachments are stored. */
export function attachmentIndexKey(jobId: string, attempt: number): string {
  return `${attemptPrefix(jobId, attempt)}attachments.json`;
}

/** Key of an attachment's content, by its position in the index: no name chosen by an agent becomes part of a key. */
export function attachmentKey(jobId: string, attempt: number, index: number): string {
  return `${attemptPrefix(jobId, attempt)}attachments/${index.toString().padStart(ATTEMPT_DIGITS, '0')}`;
}

/** Key of the list of the files that an attempt kept of its folder, written once `filesContentKey` is. */
export function filesIndexKey(jobId: string, attempt: number): string {
  return `${attemptPrefix(jobId, attempt)}files.json`;
}

/** Key of the bytes of all those files, one after the other; absent if they have none. */
export function filesContentKey(jobId: string, attempt: number): string {
  return `${attemptPrefix(jobId, attempt)}files`;
}

/** Prefix of the parts of the session that an attempt's agent kept. */
export function sessionPrefix(jobId: string, attempt: number): string {
  return `${attemptPrefix(jobId, attempt)}session/`;
}

/** A later generation replaces an earlier one: the agent replaced or shortened its file. */
const GENERATION_DIGITS = 6;
const SESSION_ABOUT = 'about.json';

/** Key of what is known about a generation of a session, written before its first part. */
export function sessionAboutKey(jobId: string, attempt: number, generation: number): string {
  return `${sessionPrefix(jobId, attempt)}${generation.toString().padStart(GENERATION_DIGITS, '0')}/${SESSION_ABOUT}`;
}

/** Key of a part of a session; parts sort by the offset of their first byte. */
export function sessionPartKey(jobId: string, attempt: number, generation: number, offset: number): string {
  const digits = offset.toString().padStart(OFFSET_DIGITS, '0');
  return `${sessionPrefix(jobId, attempt)}${generation.toString().padStart(GENERATION_DIGITS, '0')}/${digits}`;
}

/** What a key below `sessionPrefix` is; undefined: written by a later version. */
export function readSessionKey(
  key: string,
): { readonly generation: number; readonly offset: number | 'about' } | undefined {
  const found = /\/session\/(\d+)\/(?:(\d{16})|about\.json)$/.exec(key);
  if (found === null) return undefined;
  return { generation: Number(found[1]), offset: found[2] === undefined ? 'about' : Number(found[2]) };
}

export function documentKey(jobId: string, attempt: number, document: DocumentName): string {
  return `${attemptPrefix(jobId, attempt)}documents/${document}.json`;
}
