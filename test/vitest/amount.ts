/** Set by `npm run prove -- nightly`. */
export const isLongRun = process.env.PROMPTQ_LONG_TESTS === '1';

/**
 * How much a test tries of what has no end: rounds of a race, random requests, agents and clients.
 * @param everyRun for `npm test`, and so for each commit
 * @param longRun for `npm run prove -- nightly`
 */
export function amount<T>(everyRun: T, longRun: T): T {
  return isLongRun ? longRun : everyRun;
}
