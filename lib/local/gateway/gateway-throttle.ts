/** API Gateway's own measure: requests a second on average, and how many may come at once. */
export interface Throttling {
  readonly rate: number;
  readonly burst: number;
}

/** A token bucket for all requests together, as API Gateway has for a stage; says of each whether it is one too many. */
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
