import * as z from 'zod';
import { MISSED, OVERLAPS } from '../contract/automation-choices.ts';
import { knownOrLater } from '../contract/later-code.ts';
import { LIMITS } from '../contract/limits.ts';
import { type AutomationJob, RUN_REASONS, type RunReason } from '../contract/schemas/automation.ts';
import { eventView } from '../contract/schemas/event.ts';
import type { EventTrigger } from '../contract/schemas/event-trigger.ts';
import type { HookTrigger } from '../contract/schemas/hook.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { delayOf, dueAfter } from './schedule.ts';

/** What became of a due instant, or of several that were skipped together. */
export const runSchema = z.object({
  /** The first instant, RFC 3339; of a manual run, when it was requested. */
  due: z.string(),
  last_due: z.string().optional(),
  count: z.number().optional(),
  manual: z.boolean().optional(),
  /** The delivery that it is about. */
  delivery: z.string().optional(),
  /** The event that it is about, and how many events in a row it ends. */
  event: z.object({ view: eventView, depth: z.number() }).optional(),
  outcome: knownOrLater(['fired', 'skipped', 'failed']),
  reason: knownOrLater(Object.keys(RUN_REASONS) as [RunReason, ...RunReason[]]).optional(),
  error: z.string().optional(),
  at: z.string(),
  late_seconds: z.number(),
  job_id: z.string().optional(),
});
export type Run = z.output<typeof runSchema>;

/** Whose name and rights the jobs have. */
const ownerSchema = z.object({
  name: z.string(),
  token_id: z.string().optional(),
  /** When the token expires. */
  expires_at: z.string().optional(),
});
export type Owner = z.output<typeof ownerSchema>;

export const automationSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Tells it from an earlier one of its name. */
  made: z.string(),
  /** The id or name that its jobs are created with. */
  project: z.string(),
  /** It has one of schedule, hook and event. */
  schedule: z
    .object({
      cron: z.string().optional(),
      every: z.string().optional(),
      timezone: z.string(),
      anchor: z.string(),
    })
    .optional(),
  hook: z.custom<HookTrigger>((value) => typeof value === 'object' && value !== null).optional(),
  event: z.custom<EventTrigger>((value) => typeof value === 'object' && value !== null).optional(),
  /** It does not act on events before this time: it was enabled then. */
  event_since: z.string().optional(),
  /** The id of the last event that is decided. Events have one order. */
  event_decided: z.string().optional(),
  /** A text in the table, which does not store every number. */
  job: z.string().transform((text): AutomationJob => JSON.parse(text)),
  overlap: z.enum(OVERLAPS),
  missed: z.enum(MISSED),
  jitter: z.number(),
  pause_after_failures: z.number(),
  enabled: z.boolean(),
  enabled_until: z.string().optional(),
  owner: ownerSchema,
  paused: z.object({ reason: knownOrLater(['failures', 'owner']), at: z.string() }).optional(),
  /** The first due instant that is not decided; absent: none. */
  next_due: z.string().optional(),
  /** The last one that is decided: none before it is decided again, by however wrong a clock. */
  decided: z.string().optional(),
  /** A run that was decided, and whose job may not exist yet. `replaces`: jobs to cancel first. */
  firing: z.object({ run: runSchema, job_id: z.string(), replaces: z.array(z.string()).optional() }).optional(),
  /** Its jobs that were not seen ended, the oldest first. */
  jobs: z.array(z.string()),
  /** Jobs in a row that failed, or could not be created. */
  failures: z.number(),
  last_success_at: z.string().optional(),
  /** The newest run that was not skipped. */
  last_run: runSchema.optional(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Incremented by every change. `edits`: by clients. */
  version: z.number(),
  edits: z.number(),
  change_id: z.string(),
});
export type Automation = z.output<typeof automationSchema>;

/** A job of an automation, as far as the automation depends on it. */
export interface EndedOrNot {
  readonly status: Job['status'];
  readonly finished_at?: string | undefined;
}

/** The automation with what became of its jobs. @param jobs those of its `jobs` that exist */
export function withEnds(automation: Automation, jobs: ReadonlyMap<string, EndedOrNot>): Automation {
  let { failures, last_success_at } = automation;
  const left: string[] = [];
  for (const id of automation.jobs) {
    const job = jobs.get(id);
    if (job?.status === 'FAILED') failures += 1;
    else if (job?.status === 'SUCCEEDED') {
      failures = 0;
      last_success_at = job.finished_at ?? last_success_at;
    } else if (job !== undefined && job.status !== 'CANCELLED') left.push(id);
  }
  return { ...automation, jobs: left, failures, ...(last_success_at !== undefined && { last_success_at }) };
}

/** Whether its failures pause it at its next instant. */
export function hasFailedTooOften({ failures, pause_after_failures: most }: Automation): boolean {
  return most > 0 && failures >= most;
}

/** Its first due instant after another one; undefined: none is left, or it is not active. */
export function nextInstant(automation: Automation, after: number): string | undefined {
  return upcoming(automation, after, 1)[0];
}

/** Its next due instants, if it is active. */
export function upcoming(automation: Automation, after: number, most: number = LIMITS.automations.preview): string[] {
  const { schedule, enabled, paused, enabled_until: until } = automation;
  if (!enabled || paused !== undefined) return [];
  return dueAfter(schedule, after, most, until === undefined ? undefined : Date.parse(until)).map(timestamp);
}

/** When it is next to be looked at, RFC 3339; undefined: nothing is to do. */
export function wakesAt({ id, jitter, next_due: due, firing }: Automation): string | undefined {
  if (firing !== undefined) return firing.run.at;
  return due === undefined ? undefined : timestamp(Date.parse(due) + delayOf(id, jitter) * 1000);
}
