import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isThrottle } from './throttles.ts';
import { isUnavailable } from './unavailable.ts';

/** For so long after a failed request a loss of a worker may be the table's doing: more than a lease and a minute's pass. */
const MEMORY_MS = 120_000;

/** What this process knows of times in which the table could not serve it. */
class TableOutage {
  #failedAt = Number.NEGATIVE_INFINITY;

  /** Notes requests that fail although the client tried them again. */
  attach(client: DynamoDBClient): void {
    client.middlewareStack.add(
      (next) => async (args) => {
        try {
          return await next(args);
        } catch (error) {
          if (isUnavailable(error) && !isThrottle(error)) this.#failedAt = performance.now();
          throw error;
        }
      },
      { step: 'initialize', name: 'tableOutage', priority: 'high' },
    );
  }

  /** Whether a request has failed lately: then workers could not renew their leases either. */
  get isRecent(): boolean {
    return performance.now() - this.#failedAt < MEMORY_MS;
  }
}

/** Of all clients of this process. */
export const tableOutage = new TableOutage();
