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
