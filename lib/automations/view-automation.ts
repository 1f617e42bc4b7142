import { InvalidFieldError } from '../contract/errors.ts';
import { quoted } from '../contract/input/legible.ts';
import { LIMITS } from '../contract/limits.ts';
import { BASE_PATH } from '../contract/route.ts';
import {
  type AutomationsQuery,
  type AutomationView,
  RUN_REASONS,
  type RunReason,
  type RunView,
} from '../contract/schemas/automation.ts';
import type { EventTrigger } from '../contract/schemas/event-trigger.ts';
import type { PageQuery } from '../contract/schemas/fields/page.ts';
import type { HookTrigger } from '../contract/schemas/hook.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { type Automation, type EndedOrNot, type Run, upcoming, wakesAt, withEnds } from './automation.ts';
import type { AutomationStore } from './automation-store.ts';
import { dueByHour } from './due-by-hour.ts';
import { delayOf, isEitherDay, localTime } from './schedule.ts';

interface AutomationViewContext {
  readonly automations: AutomationStore;
  readonly jobs: Pick<JobStore, 'findAll'>;
  readonly clock: Clock;
}

type Jobs = ReadonlyMap<string, EndedOrNot>;

/** A page of automations, with their health as of now. @throws InvalidFieldError for an invalid time or cursor */
export async function listAutomations(context: AutomationViewContext, query: AutomationsQuery) {
  const range = rangeOf(query, context.clock.now());
  const { limit = LIMITS.automations.list.default, cursor } = query;
  const most = range === undefined ? limit : Math.min(limit, LIMITS.automations.calendar.perPage);
  const { items, nextCursor } = await context.automations.page({
    limit: most,
    ...(cursor !== undefined && { cursor }),
  });
  return { items: await viewAutomations(context, items, range), next_cursor: nextCursor };
}

/** From and to (ms) of the calendar that is asked for; undefined: none. What has passed is in the history. */
function rangeOf({ due_from: from, due_to: to }: AutomationsQuery, now: number): readonly [number, number] | undefined {
  if (from === undefined && to === undefined) return undefined;
  const most = LIMITS.automations.calendar.days * 86_400_000;
  const begin = from === undefined ? now : Date.parse(from);
  const end = to === undefined ? begin + most : Date.parse(to);
  if (end - begin > most || end < begin) {
    const days = LIMITS.automations.calendar.days;
    throw InvalidFieldError.of('due_to', `received ${quoted(to)}; expected at most ${days} days after due_from`);
  }
  return [Math.max(begin, now), end];
}

/** One automation as clients see it, with its health as of now. @param secret of its hook, if it was made just now */
export async function viewAutomation(
  context: Pick<AutomationViewContext, 'clock'> & Partial<AutomationViewContext>,
  automation: Automation,
  secret?: string,
): Promise<AutomationView> {
  const jobs = context.jobs === undefined ? new Map() : await readJobs(context.jobs, [automation]);
  return view(automation, jobs, context.clock.now(), secret);
}

async function viewAutomations(
  context: AutomationViewContext,
  automations: readonly Automation[],
  range: readonly [number, number] | undefined,
): Promise<AutomationView[]> {
  const jobs = await readJobs(context.jobs, automations);
  return automations.map((automation) => ({
    ...view(automation, jobs, context.clock.now()),
    due: range === undefined ? null : viewDue(automation, range),
  }));
}

/** A page of its history. @throws InvalidFieldError for an invalid cursor */
export async function listRuns(context: AutomationViewContext, automation: Automation, query: PageQuery) {
  const { limit = LIMITS.automations.list.default, cursor } = query;
  const { runs, last } = await context.automations.runs(automation, limit, cursor && rowOf(cursor));
  const jobs = await found(
    context.jobs,
    runs.flatMap(({ job_id }) => job_id ?? []),
  );
  return { items: runs.map((run) => viewRun(run, jobs)), next_cursor: last && Buffer.from(last).toString('base64url') };
}

function rowOf(cursor: string): string {
  const row = Buffer.from(cursor, 'base64url').toString();
  if (/^\d{4}-[\d:.TZ-]{1,40}(m|h[0-9a-f]{8}|e\d{1,12}-\d{1,4})?$/.test(row)) return row;
  throw InvalidFieldError.of('cursor', `received ${quoted(cursor)}; give next_cursor of the page before`);
}

async function readJobs(jobs: AutomationViewContext['jobs'], automations: readonly Automation[]): Promise<Jobs> {
  return await found(
    jobs,
    automations.flatMap(({ jobs: open, last_run }) => [...open, last_run?.job_id ?? []].flat()),
  );
}

async function found(jobs: AutomationViewContext['jobs'], ids: readonly string[]): Promise<Jobs> {
  const read = ids.length === 0 ? new Map() : await jobs.findAll([...new Set(ids)]);
  return new Map([...read].map(([id, job]) => [id, job === 'newer' ? { status: 'RUNNING' } : job]));
}

function view(automation: Automation, jobs: Jobs, now: number, secret?: string): AutomationView {
  const { schedule, hook, event, firing, last_run: last } = automation;
  const { failures, last_success_at } = withEnds(automation, jobs);
  // What is decided next, and then what follows.
  const after = automation.next_due === undefined ? now : Date.parse(automation.next_due) - 1;
  const instants = upcoming(automation, after);
  return {
    ...{ id: automation.id, name: automation.name, project: automation.project },
    trigger: {
      schedule:
        schedule === undefined
          ? null
          : { cron: schedule.cron ?? null, every: schedule.every ?? null, timezone: schedule.timezone },
      hook: hook === undefined ? null : viewHook(automation.id, hook, secret),
      event: event === undefined ? null : viewEvent(event),
    },
    ...{ job: automation.job, overlap: automation.overlap, missed: automation.missed, jitter: automation.jitter },
    ...{ pause_after_failures: automation.pause_after_failures, enabled: automation.enabled },
    enabled_until: automation.enabled_until ?? null,
    owner: automation.owner.name,
    ...viewState(automation, instants.length > 0 || firing !== undefined || takesDeliveries(automation, now), now),
    next_runs: instants.map((due_at) => ({
      due_at,
      starts_at: timestamp(Date.parse(due_at) + delayOf(automation.id, automation.jitter) * 1000),
      local: localTime(Date.parse(due_at), schedule?.timezone ?? 'UTC'),
    })),
    notes:
      schedule !== undefined && isEitherDay(schedule)
        ? ['It is due on days that match the day of the month or the weekday.']
        : [],
    due: null,
    last_run: last === undefined ? null : viewRun(last, jobs),
    failures_in_row: failures,
    last_success_at: last_success_at ?? null,
    ...{ created_at: automation.created_at, updated_at: automation.updated_at, version: automation.edits },
  };
}

function viewHook(id: string, hook: HookTrigger, secret: string | undefined): AutomationView['trigger']['hook'] {
  const { verify, delivery_id: place } = hook;
  return {
    path: `${BASE_PATH}/hooks/${encodeURIComponent(id)}`,
    verify: {
      style: verify.style,
      header: verify.header ?? null,
      prefix: verify.prefix ?? null,
      encoding: verify.style === 'hmac' ? (verify.encoding ?? 'hex') : null,
    },
    filter: hook.filter ?? [],
    map: hook.map ?? {},
    delivery_id: place === undefined ? null : { header: place.header ?? null, pointer: place.pointer ?? null },
    drafts: hook.drafts ?? false,
    secret: secret ?? null,
  };
}

function viewEvent({ types, filter = {} }: EventTrigger): AutomationView['trigger']['event'] {
  const { project = null, profile = null, template = null, automation = null, creator = null } = filter;
  return { types, filter: { project, profile, template, automation, creator } };
}

function takesDeliveries({ hook, event, enabled_until: until }: Automation, now: number): boolean {
  return (hook !== undefined || event !== undefined) && (until === undefined || Date.parse(until) >= now);
}

function viewDue(
  { schedule, enabled, paused, enabled_until: until }: Automation,
  [from, to]: readonly [number, number],
): AutomationView['due'] {
  if (!enabled || paused !== undefined || schedule === undefined) return [];
  const end = until === undefined ? to : Math.min(to, Date.parse(until) + 1);
  return dueByHour(schedule, from, end).map(({ at, count }) => ({ at: timestamp(at), count }));
}

function viewState(
  automation: Automation,
  isComing: boolean,
  now: number,
): Pick<AutomationView, 'state' | 'state_reason'> {
  const { enabled, paused, failures, owner } = automation;
  if (!enabled) return { state: 'disabled', state_reason: null };
  if (paused === undefined && isComing) return { state: 'active', state_reason: whyNotYet(automation, now) };
  if (paused === undefined) return { state: 'ended', state_reason: null };
  const why =
    paused.reason === 'owner'
      ? `The token of its owner ${owner.name} no longer works. Update the automation to become its owner.`
      : `Its last ${failures} jobs have failed. Enable it to continue.`;
  return { state: 'paused', state_reason: why };
}

/** What an automation waits for whose time has come. */
function whyNotYet(automation: Automation, now: number): string | null {
  if (automation.firing !== undefined) return 'Its job is being created.';
  const at = wakesAt(automation);
  if (at === undefined || at > timestamp(now)) return null;
  return 'It is due, and waits for the pass that runs every minute.';
}

function triggerOf({ event, delivery, manual }: Run): RunView['trigger'] {
  if (event !== undefined) return 'event';
  if (delivery !== undefined) return 'hook';
  return manual === true ? 'manual' : 'schedule';
}

function viewRun(run: Run, jobs: Jobs): RunView {
  const { reason, error, job_id: id } = run;
  const known = Object.hasOwn(RUN_REASONS, reason ?? '') ? RUN_REASONS[reason as RunReason] : '';
  return {
    ...{ due_at: run.due, last_due_at: run.last_due ?? run.due, count: run.count ?? 1 },
    trigger: triggerOf(run),
    event_id: run.event?.view.id ?? null,
    outcome: run.outcome,
    reason: reason === undefined ? null : { code: reason, message: error === undefined ? known : `${known} ${error}` },
    ...{ evaluated_at: run.at, late_seconds: run.late_seconds, job_id: id ?? null },
    job_status: (id === undefined ? undefined : jobs.get(id)?.status) ?? null,
  };
}
