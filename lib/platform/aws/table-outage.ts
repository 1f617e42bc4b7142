import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isThrottle } from './throttles.ts';
import { isUnavailable } from './unavailable.ts';

/**
 * Milliseconds after a failed request in which the table may have caused a worker's loss: more than a lease and a
 * minute's pass.
 */
const MEMORY_MS = 120_000;

/** Recent table outages, as this process observed them. */
class TableOutage {
  #failedAt = Number.NEGATIVE_INFINITY;
  readonly #errors = new WeakSet<Error>();

  /** Records requests that fail despite the client's retries. */
  attach(client: DynamoDBClient): void {
    client.middlewareStack.add(
      (next) => async (args) => {
        try {
          return await next(args);
        } catch (error) {
          if (error instanceof Error && isUnavailable(error) && !isThrottle(error)) {
            this.#failedAt = performance.now();
            this.#errors.add(error);
          }
          throw error;
        }
      },
      { step: 'initialize', name: 'tableOutage', priority: 'high' },
    );
  }

  /** Whether a request failed with this error because the table is unavailable. */
  caused(error: unknown): boolean {
    return error instanceof Error && this.#errors.has(error);
  }

  /** Whether a request failed recently: then workers could not renew their leases either. */
  get isRecent(): boolean {
    return performance.now() - this.#failedAt < MEMORY_MS;
  }
}

/** Shared by all clients of this process. */
export const tableOutage = new TableOutage();
