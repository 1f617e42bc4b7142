import { createHash, randomBytes } from 'node:crypto';

/** Marks our tokens, so that scanners of leaked secrets know them. */
const PREFIX = 'pq_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/** What a token looks like, anywhere in a text. */
export const TOKEN_PATTERN = new RegExp(`${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`);

/** A new token: prefix, 32 random bytes in base 62, checksum. */
export function generateToken(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** Whether a text is a token that was not mistyped; says nothing about its being valid. */
export function isWellFormed(text: string): boolean {
  if (!new RegExp(`^${TOKEN_PATTERN.source}$`).test(text)) return false;
  const secret = text.slice(PREFIX.length, PREFIX.length + SECRET_LENGTH);
  return text.endsWith(checksum(secret));
}

/** What is stored of a token. 32 random bytes need no slow hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The id under which a token's item is found; tells nothing about the token. */
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
