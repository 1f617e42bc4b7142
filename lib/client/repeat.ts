import { setTimeout as sleep } from 'node:timers/promises';
import { errorSentence } from './error-sentence.ts';
import { RequestError, TransientError, UnreachableError } from './errors.ts';

/** How long a failing request is retried. */
export interface RetryPolicy {
  /** Seconds after the first failure in a row at which the client gives up. */
  readonly retrySeconds: number;
  /** Called before each pause. */
  readonly onRetry?: ((reason: string) => void) | undefined;
  /** Ends all requests and pauses. */
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds between two tries: doubled each time, with jitter. */
const PAUSE_MS = { first: 250, longest: 8_000 } as const;

/** Paces the tries of one operation and decides when to give up. A success ends a row of failures. */
export class Retries {
  readonly #policy: RetryPolicy;
  #failingSince: number | undefined;
  #pauseMs: number = PAUSE_MS.first;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  succeeded(): void {
    this.#failingSince = undefined;
    this.#pauseMs = PAUSE_MS.first;
  }

  /**
   * Waits before the next try.
   * @throws UnreachableError if the time is over; any error that is not transient; the reason of an aborted signal
   */
  async failed(error: unknown, signal?: AbortSignal): Promise<void> {
    const over = AbortSignal.any([signal, this.#policy.signal].filter((one) => one !== undefined));
    over.throwIfAborted();
    if (!(error instanceof TransientError)) throw error;
    const now = performance.now();
    this.#failingSince ??= now;
    const leftMs = this.#failingSince + this.#policy.retrySeconds * 1000 - now;
    if (leftMs <= 0) throw new UnreachableError(error.message, { cause: error });
    this.#policy.onRetry?.(error.message);
    const pauseMs = error.retryAfter === undefined ? this.#jittered() : error.retryAfter * 1000;
    await sleep(Math.min(pauseMs, leftMs), undefined, { signal: over }).catch(() => over.throwIfAborted());
  }

  #jittered(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(PAUSE_MS.longest, pauseMs * 2);
    return pauseMs * (0.5 + Math.random() / 2);
  }
}

/**
 * Repeats a request whose idempotency key makes it take effect once.
 * @param sought.done what it does, such as `the job was created`
 * @throws as `repeat`; if the request may have taken effect, the error names the key
 */
export async function repeatWithKey<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  { key, done }: { readonly key: string; readonly done: string },
): Promise<T> {
  let isUnknown = false;
  const noting = async () =>
    await attempt().catch((error: unknown) => {
      isUnknown ||= mayHaveTakenEffect(error, policy);
      throw error;
    });
  return await repeat(noting, policy).catch((error: unknown) => {
    if (!isUnknown) throw error;
    throw unknownOutcome(error, policy, `${done}; another try with the idempotency key ${key} does not repeat it`);
  });
}

/** Whether the request that failed with an error may have taken effect. */
export function mayHaveTakenEffect(error: unknown, policy: RetryPolicy): boolean {
  return error instanceof TransientError ? !error.hadNoEffect : isOver(error, policy);
}

/** The error with which a client gives up, and what is unknown then. Other errors stay as they are. */
export function unknownOutcome(error: unknown, policy: RetryPolicy, what: string): unknown {
  if (!(error instanceof UnreachableError) && !isOver(error, policy)) return error;
  const why = error instanceof UnreachableError ? error.message : 'it did not answer in time';
  return new UnreachableError(`${why}; it is unknown whether ${what}`, { cause: error });
}

/** The error with which a client gives up that may not read what became of a lost request. Others stay as they are. */
export function unreadable(failure: unknown, lost: unknown): unknown {
  if (!(failure instanceof RequestError)) return failure;
  const why = lost instanceof Error ? lost.message : String(lost);
  return new UnreachableError(`${why}; ${errorSentence(failure)}`, { cause: failure });
}

/** Whether an error is that of a client whose requests were ended. */
function isOver(error: unknown, { signal }: RetryPolicy): boolean {
  return signal?.aborted === true && error === signal.reason;
}

/**
 * Repeats an operation until it does not fail transiently.
 * @throws UnreachableError once the time for retries is over; any other error of the operation
 */
export async function repeat<T>(attempt: () => Promise<T>, policy: RetryPolicy, signal?: AbortSignal): Promise<T> {
  const retries = new Retries(policy);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      await retries.failed(error, signal);
    }
  }
}
