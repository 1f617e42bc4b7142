import { Logger } from '@aws-lambda-powertools/logger';
import { emitMetrics } from '../operations/emit-metrics.ts';
import { isUnavailable } from './unavailable.ts';

/** Milliseconds between reports of the same item: workers meet it far more often than the reconciler does. */
const REPORT_INTERVAL_MS = 30_000;
/** Maximum number of reported items that a process remembers. */
const MAX_REMEMBERED = 1_000;

const log = new Logger({ serviceName: 'promptq-items' });
const reportedAt = new Map<string, number>();

/**
 * Runs a pass's work on one item. If the item is at fault, reports it and continues, so that it can't block the others.
 * @param item such as `job ID`
 * @returns undefined for a damaged item
 * @throws an unavailable service's error: then the others fail too
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

/** Reports an item that is skipped because it is unreadable or can't be processed. */
export function reportDamaged(item: string, error: unknown): void {
  const now = performance.now();
  if (now - (reportedAt.get(item) ?? Number.NEGATIVE_INFINITY) < REPORT_INTERVAL_MS) return;
  if (reportedAt.size >= MAX_REMEMBERED) reportedAt.clear();
  reportedAt.set(item, now);
  log.error('skipped a damaged item', { item, error: error as Error });
  emitMetrics({ DamagedItems: 1 });
}
