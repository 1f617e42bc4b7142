import { LIMITS } from '../contract/limits.ts';
import type { RunReason } from '../contract/schemas/automation.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { type Automation, hasFailedTooOften, type Run } from './automation.ts';
import type { Delivery } from './hooks/delivery-store.ts';

/** Decides what becomes of a delivery that passed the filter. */
export function decideDelivery(
  automation: Automation,
  { id, received_at }: Pick<Delivery, 'id' | 'received_at'>,
  options: Parameters<typeof decideStart>[2],
): ReturnType<typeof decideStart> {
  return decideStart(automation, { due: received_at, delivery: id }, options);
}

/**
 * Decides what becomes of a delivery or an event: a rule without input or output, as `decideDue` is for due instants.
 * @param automation with the ends of its jobs
 * @param of what the run is about; `due`: when it came
 * @param options.ownerWorks whether its owner may still create jobs
 */
export function decideStart(
  automation: Automation,
  of: Pick<Run, 'due' | 'delivery' | 'event'>,
  { now, ownerWorks }: { readonly now: number; readonly ownerWorks: boolean },
): { readonly automation: Automation; readonly run: Run; readonly replaces?: readonly string[] } {
  const at = timestamp(now);
  const late_seconds = Math.max(0, Math.floor((now - Date.parse(of.due)) / 1000));
  const run = { ...of, at, late_seconds };
  const skip = (reason: RunReason, job_id?: string) => ({
    automation,
    run: { ...run, ...(job_id !== undefined && { job_id }), outcome: 'skipped' as const, reason },
  });
  const pause = (reason: 'failures' | 'owner') => ({
    ...skip(`paused_${reason}`),
    automation: { ...automation, paused: { reason, at } },
  });
  const { enabled, enabled_until: until, paused, overlap, jobs } = automation;
  if (!enabled || (until !== undefined && until < of.due)) return skip('disabled');
  if (paused !== undefined) return skip(paused.reason === 'owner' ? 'paused_owner' : 'paused_failures');
  if (!ownerWorks) return pause('owner');
  if (hasFailedTooOften(automation)) return pause('failures');
  const fired = { automation, run: { ...run, outcome: 'fired' as const } };
  const running = jobs.at(-1);
  if (running === undefined) return fired;
  if (overlap === 'skip') return skip('still_running', running);
  if (overlap === 'replace') return { ...fired, replaces: jobs };
  return jobs.length > LIMITS.hooks.waiting ? skip('queue_full', running) : fired;
}
