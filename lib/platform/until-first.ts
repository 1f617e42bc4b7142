import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../contract/errors.ts';

/** With the pauses, some 3 seconds. */
const MAX_TRIES = 25;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Repeats a conditional write while other writers are faster: at once, then after random pauses that grow, which takes
 * concurrent writers apart.
 * @param write reads, decides and writes; undefined: another writer was faster
 * @throws ApiError `unavailable` if others were faster each time
 */
export async function untilFirst<T>(write: () => Promise<{ readonly result: T } | undefined>): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const done = await write();
    if (done !== undefined) return done.result;
    await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries));
  }
  throw ApiError.of('unavailable', undefined, 1);
}
