import { createHash, timingSafeEqual } from 'node:crypto';
import { ORIGIN_SECRET_HEADER } from '../platform/config/edge-headers.ts';
import type { Headers } from './authenticate.ts';

/** What is kept of an origin secret where it is checked: enough to know it, and useless to whoever wants to send it. */
export function originDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * Whether a request came through the deployment's own distribution, which alone knows the secret.
 * @param digests those of the secrets that count: the present one and, while it is replaced, the one before
 */
export function cameThroughDistribution(headers: Headers, digests: readonly string[]): boolean {
  const given = Buffer.from(originDigest(headers[ORIGIN_SECRET_HEADER] ?? ''), 'hex');
  return digests.map((digest) => timingSafeEqual(Buffer.from(digest, 'hex'), given)).includes(true);
}
