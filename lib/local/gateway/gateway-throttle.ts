/** API Gateway's throttling: requests a second on average, and the burst. */
export interface Throttling {
  readonly rate: number;
  readonly burst: number;
}

/** One token bucket for all requests, as in an API Gateway stage; returns for each whether it exceeds the limit. */
export function throttle(
  throttling: Throttling | undefined,
  now: () => number = () => performance.now(),
): () => boolean {
  if (throttling === undefined) return () => false;
  let left = throttling.burst;
  let at = now();
  return () => {
    left = Math.min(throttling.burst, left + ((now() - at) / 1000) * throttling.rate);
    at = now();
    if (left < 1) return true;
    left -= 1;
    return false;
  };
}
