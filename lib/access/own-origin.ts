import { ApiError } from '../contract/errors.ts';
import type { Headers } from './authenticate.ts';
import type { Principal } from './principal.ts';

/** Methods that change nothing. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a page of this service sent the request: browsers set the Origin header, and pages can't change it. */
export function isOwnOrigin(headers: Headers, publicOrigin: string | undefined): boolean {
  return publicOrigin !== undefined && headers.origin === publicOrigin;
}

/**
 * Rejects requests of other sites (CSRF): browsers send the session cookie with them. Other principals authenticate by
 * headers that no other site can set.
 * @param publicOrigin reads the allowed origin; called only when needed
 * @throws ApiError `forbidden` that names the allowed origin
 */
export async function rejectForeignOrigin(
  principal: Principal,
  request: { readonly method: string; readonly headers: Headers },
  publicOrigin: () => Promise<string | undefined>,
): Promise<void> {
  if (principal.kind !== 'session' || SAFE.has(request.method)) return;
  const own = await publicOrigin();
  if (isOwnOrigin(request.headers, own)) return;
  throw ApiError.of('forbidden', {
    required_origin: own,
    received_origin: request.headers.origin || null,
  });
}
