import { createHash, randomBytes } from 'node:crypto';

/** Identifies our tokens to scanners for leaked secrets. */
const PREFIX = 'pq_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/** Matches a token anywhere in a text. */
export const TOKEN_PATTERN = new RegExp(`${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`);

/** A new token: prefix, 32 random bytes in base 62, checksum. */
export function generateToken(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** Whether a text has the format and checksum of a token; it may still be invalid. */
export function isWellFormed(text: string): boolean {
  if (!new RegExp(`^${TOKEN_PATTERN.source}$`).test(text)) return false;
  const secret = text.slice(PREFIX.length, PREFIX.length + SECRET_LENGTH);
  return text.endsWith(checksum(secret));
}

/** The stored hash. A token has 32 random bytes, so a slow hash adds nothing. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The id of a token's item; reveals nothing about the token. */
export function tokenIdOf(hash: string): string {
  return `tok_${hash.slice(0, 24)}`;
}

function checksum(secret: string): string {
  const digest = createHash('sha256').update(`${PREFIX}${secret}`).digest();
  return base62(BigInt(digest.readUInt32BE(0)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = `${DIGITS[Number(rest % 62n)]}${text}`;
  return text;
}
