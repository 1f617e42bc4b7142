import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;

/** A new job's id: 130 random bits. */
export function randomJobId(): string {
  return encode(randomBytes(LENGTH));
}

/** The id for a key: derived from it, so that one conditional put decides between concurrent creates. */
export function jobIdOfKey(key: string): string {
  return encode(createHash('sha256').update(`promptq job\0${key}`).digest());
}

/** The id for an idempotency key of its owner (`keyOwnerOf`). */
export function jobIdOfOwnedKey(owner: string, idempotencyKey: string): string {
  return jobIdOfKey(JSON.stringify([owner, idempotencyKey]));
}

/** The id of a follow-up job: the same however often its creation is tried. */
export function followUpId(parentId: string, attempt: number, position: number): string {
  return encode(createHash('sha256').update(`promptq follow-up\0${parentId}\0${attempt}\0${position}`).digest());
}

/** The id of a job that an agent starts by a tool: the same for each call with one key in one round of its job. */
export function toolJobId(parentId: string, round: number, key: string): string {
  return encode(createHash('sha256').update(`promptq tool job\0${parentId}\0${round}\0${key}`).digest());
}

/** The id of the job that a message becomes: the same however often its creation is tried. */
export function messageJobId(jobId: string, messageId: string): string {
  return encode(createHash('sha256').update(`promptq message job\0${jobId}\0${messageId}`).digest());
}

/** Whether a string has the form of a job's id. */
export function isJobId(value: string): boolean {
  return /^job_[0-9a-hjkmnp-tv-z]{26}$/.test(value);
}

function encode(bytes: Buffer): string {
  return encodeId('job', bytes);
}

/** An id of five bits of each of the first 26 bytes. */
export function encodeId(prefix: string, bytes: Buffer): string {
  return `${prefix}_${Array.from(bytes.subarray(0, LENGTH), (byte) => ALPHABET[byte & 31]).join('')}`;
}
