import { setTimeout as delay } from 'node:timers/promises';

interface ScheduleOptions {
  /** For the log. */
  readonly name: string;
  /** Milliseconds from the end of one run to the start of the next; so runs never overlap. */
  readonly everyMs: number;
  /** The same for the second run; default: `everyMs`. */
  readonly secondAfterMs?: number;
  readonly run: (isFirst: boolean) => Promise<unknown>;
  readonly log: (line: string) => void;
}

export interface Schedule {
  /** Waits for the run in progress. */
  stop(): Promise<void>;
}

/** A failed run is retried sooner than the next one is due. */
const RETRY_MS = 5_000;

/**
 * Runs a function at once and then at intervals, as EventBridge does. A failed run is logged; the first counts only
 * once it succeeds.
 */
export function startSchedule({ name, everyMs, secondAfterMs = everyMs, run, log }: ScheduleOptions): Schedule {
  const stopped = new AbortController();
  const running = (async () => {
    let isFirst = true;
    while (!stopped.signal.aborted) {
      let wait = isFirst ? secondAfterMs : everyMs;
      try {
        await run(isFirst);
        isFirst = false;
      } catch (error) {
        wait = Math.min(everyMs, RETRY_MS);
        log(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
      }
      await delay(wait, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}
