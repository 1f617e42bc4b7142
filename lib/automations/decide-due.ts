import { LIMITS } from '../contract/limits.ts';
import type { RunReason } from '../contract/schemas/automation.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { type Automation, hasFailedTooOften, nextInstant, type Run } from './automation.ts';
import { delayOf, dueAfter } from './schedule.ts';

/*
 * What is due at an automation, and what becomes of it: a rule without input or output. Each decision settles one or more
 * due instants, which one conditional write then records together with the automation's next instant (`fire-due.ts`). So
 * each instant is decided once, whatever dies, and however often the minute's pass runs.
 *
 * Instants that are due together have been missed, except the last one. `missed` says which of them fire. Those that do
 * not are one run of the history, with their count.
 */

/** Instants that one decision looks at. */
const LOOKED_AT = 1_000;
/** Instants that one change of a client records: minutes of two weeks. */
const MOST_SKIPPED = 20_000;

/** What is decided. `automation`: how it is then. */
interface Decision {
  readonly automation: Automation;
  readonly run: Run;
  /** The jobs to cancel before the one that the run creates. */
  readonly replaces?: readonly string[];
}

/**
 * Decides about the first due instants of an automation.
 * @param automation with the ends of its jobs
 * @param options.ownerWorks whether its owner may still create jobs
 * @returns undefined: nothing is due
 */
export function decideDue(
  automation: Automation,
  { now, ownerWorks }: { readonly now: number; readonly ownerWorks: boolean },
): Decision | undefined {
  const due = dueNow(automation, now);
  const [first, second] = due;
  const last = due.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const skip = (reason: RunReason, until = last, job_id?: string) =>
    skipped(automation, { due, until, now, reason, job_id });
  if (!ownerWorks) return paused(skip('paused_owner'), 'owner', now);
  if (hasFailedTooOften(automation)) return paused(skip('paused_failures'), 'failures', now);
  const { missed, overlap, jobs } = automation;
  const isLate = now - first - delayOf(automation.id, automation.jitter) * 1000 > LIMITS.automations.lateSeconds * 1000;
  if (missed === 'all' && (isLate || second !== undefined)) {
    const surplus = due.at(-LIMITS.automations.catchUp - 1);
    return surplus === undefined ? fired(automation, first, now) : skip('missed', surplus);
  }
  if (second !== undefined) return skip('missed', due.at(-2));
  if (missed === 'skip' && isLate) return skip('missed');
  const running = jobs.at(-1);
  if (running === undefined) return fired(automation, first, now);
  if (overlap === 'skip') return skip('still_running', last, running);
  if (overlap === 'replace') return { ...fired(automation, first, now), replaces: jobs };
  return jobs.length > 1 ? skip('queue_full', last, running) : fired(automation, first, now);
}

/** Whether something is due and not decided. */
export function isDue(automation: Automation, now: number): boolean {
  return dueUntil(automation, now - delayOf(automation.id, automation.jitter) * 1000, 1).length > 0;
}

/** What a change by a client skips: instants that came before it, and were not decided. */
export function skippedByEdit(automation: Automation, now: number): Run | undefined {
  const due = dueUntil(automation, now, MOST_SKIPPED);
  const last = due.at(-1);
  if (last === undefined) return undefined;
  return skipped(automation, { due, until: last, now, reason: 'edited', job_id: undefined }).run;
}

/** The instants that are due and not decided, the oldest first. */
function dueNow(automation: Automation, now: number): number[] {
  return dueUntil(automation, now - delayOf(automation.id, automation.jitter) * 1000, LOOKED_AT);
}

function dueUntil({ next_due: next, schedule, enabled_until: until }: Automation, at: number, most: number): number[] {
  if (next === undefined) return [];
  const end = until === undefined ? at : Math.min(at, Date.parse(until));
  const first = Date.parse(next);
  return first > end ? [] : [first, ...dueAfter(schedule, first, most - 1, end)];
}

function fired(automation: Automation, due: number, now: number): Decision {
  const run = { ...runAt(automation, due, now), outcome: 'fired' as const };
  return { automation: decidedUntil(automation, due), run };
}

function skipped(
  automation: Automation,
  skip: {
    readonly due: readonly number[];
    readonly until: number;
    readonly now: number;
    readonly reason: RunReason;
    readonly job_id: string | undefined;
  },
): Decision {
  const { due, until, now, reason, job_id } = skip;
  const count = due.filter((at) => at <= until).length;
  const run: Run = {
    ...runAt(automation, due[0] ?? until, now),
    ...(count > 1 && { last_due: timestamp(until), count }),
    ...(job_id !== undefined && { job_id }),
    outcome: 'skipped',
    reason,
  };
  return { automation: decidedUntil(automation, until), run };
}

function paused({ automation, run }: Decision, reason: 'failures' | 'owner', now: number): Decision {
  const { next_due: _next, ...rest } = automation;
  return { automation: { ...rest, paused: { reason, at: timestamp(now) } }, run };
}

function decidedUntil(automation: Automation, due: number): Automation {
  const { next_due: _decided, ...rest } = automation;
  const next = nextInstant(automation, due);
  return { ...rest, decided: timestamp(due), ...(next !== undefined && { next_due: next }) };
}

function runAt({ id, jitter }: Automation, due: number, now: number): Pick<Run, 'due' | 'at' | 'late_seconds'> {
  const late = Math.floor((now - due) / 1000) - delayOf(id, jitter);
  return { due: timestamp(due), at: timestamp(now), late_seconds: Math.max(0, late) };
}
