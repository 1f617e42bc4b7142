import { Logger } from '@aws-lambda-powertools/logger';
import { emitMetrics } from '../operations/emit-metrics.ts';
import { isUnavailable } from './unavailable.ts';

/** A process reports an item at most this often: workers meet it far more often than the reconciler does. */
const REPORT_INTERVAL_MS = 30_000;
/** Items that a process remembers having reported. */
const MOST_REMEMBERED = 1_000;

const log = new Logger({ serviceName: 'promptq-items' });
const reportedAt = new Map<string, number>();

/**
 * Runs the part of a pass that concerns one item. If the item is at fault, reports it and goes on, so that it can't keep
 * the pass from the others.
 * @param item such as `job ID`
 * @returns undefined for a damaged item
 * @throws what says that a service is unavailable: then the others fail too
 */
export async function skipDamaged<T>(item: string, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isUnavailable(error)) throw error;
    reportDamaged(item, error);
    return undefined;
  }
}

/** Reports an item that is skipped because it can't be read or acted on. */
export function reportDamaged(item: string, error: unknown): void {
  const now = performance.now();
  if (now - (reportedAt.get(item) ?? Number.NEGATIVE_INFINITY) < REPORT_INTERVAL_MS) return;
  if (reportedAt.size >= MOST_REMEMBERED) reportedAt.clear();
  reportedAt.set(item, now);
  log.error('skipped a damaged item', { item, error: error as Error });
  emitMetrics({ DamagedItems: 1 });
}
