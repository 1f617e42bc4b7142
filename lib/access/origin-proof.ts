import { createHash, timingSafeEqual } from 'node:crypto';
import { ORIGIN_SECRET_HEADER } from '../platform/config/edge-headers.ts';
import type { Headers } from './authenticate.ts';

/** The digest by which an origin secret is checked: it verifies the secret and can't be sent in its place. */
export function originDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * Whether a request came through the deployment's own distribution, which alone knows the secret.
 * @param digests of the accepted secrets: the current one and, during a rotation, the previous one
 */
export function cameThroughDistribution(headers: Headers, digests: readonly string[]): boolean {
  const given = Buffer.from(originDigest(headers[ORIGIN_SECRET_HEADER] ?? ''), 'hex');
  return digests.map((digest) => timingSafeEqual(Buffer.from(digest, 'hex'), given)).includes(true);
}
