import { ApiError } from '../contract/errors.ts';
import type { Headers } from './authenticate.ts';
import type { Principal } from './principal.ts';

/** Methods by which nothing is changed. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a page of our own sent a request: browsers name the page's origin, and pages can't name another. */
export function isOwnOrigin(headers: Headers, publicOrigin: string | undefined): boolean {
  return publicOrigin !== undefined && headers.origin === publicOrigin;
}

/**
 * Keeps other sites from acting by means of a cookie that the browser sends by itself. Other principals prove themselves
 * by headers that no other site can set.
 * @param publicOrigin brings the origin whose pages may; asked only where it matters
 * @throws ApiError `forbidden` that names that origin.
 */
export async function refuseForeignOrigin(
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
