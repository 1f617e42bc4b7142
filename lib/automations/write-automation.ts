import { randomBytes } from 'node:crypto';
import { ApiError, type FieldProblem, InvalidFieldError } from '../contract/errors.ts';
import { quoted } from '../contract/input/legible.ts';
import { LIMITS } from '../contract/limits.ts';
import type { AutomationCreation, AutomationEdit } from '../contract/schemas/automation.ts';
import type { FeedReaders } from '../events/feed-readers.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { untilFirst } from '../platform/until-first.ts';
import { DEFAULT_PROJECT } from '../projects/projects.ts';
import { type Automation, nextInstant, type Owner, type Run } from './automation.ts';
import { checkJob, type JobCheckContext } from './automation-job.ts';
import { type AutomationStore, automationIdOf } from './automation-store.ts';
import { skippedByEdit } from './decide-due.ts';
import { AUTOMATION_READER, valuesOfEvent } from './events/event-trigger.ts';
import { checkHook } from './hooks/hook-trigger.ts';
import { cronFault, intervalFault, type Schedule, zoneNamed } from './schedule.ts';

interface AutomationWriteContext extends JobCheckContext {
  readonly automations: AutomationStore;
  readonly clock: Clock;
  /** Events that start an automation are read by one; absent: the process writes no such automation. */
  readonly readers?: Pick<FeedReaders, 'addition' | 'removal'>;
}

/** Who asks, and whether anything is stored. */
interface Write {
  readonly owner: Owner;
  readonly dryRun: boolean;
}

/** @throws InvalidFieldError with all faults of the trigger, or what is wrong with the job */
export async function createAutomation(
  context: AutomationWriteContext,
  creation: AutomationCreation,
  { owner, dryRun }: Write,
): Promise<Automation> {
  const at = timestamp(context.clock.now());
  const id = automationIdOf(creation.name);
  const trigger = triggerOf(creation.trigger, at);
  const { enabled = true, enabled_until: until, project: named } = creation;
  const ofTemplate = await checkJob(context, creation.job, { ...checkOf(trigger, at), project: named });
  const automation: Automation = {
    ...{ id, name: creation.name, made: randomBytes(6).toString('hex'), ...trigger, job: creation.job, owner },
    project: named ?? ofTemplate ?? DEFAULT_PROJECT,
    overlap: creation.overlap ?? (trigger.schedule === undefined ? 'queue' : 'skip'),
    missed: creation.missed ?? 'latest',
    jitter: creation.jitter ?? 0,
    pause_after_failures: creation.pause_after_failures ?? LIMITS.automations.pauseAfterFailures.default,
    enabled,
    ...(until !== undefined && until !== '' && { enabled_until: until }),
    ...(trigger.event !== undefined && { event_since: at }),
    ...{ jobs: [], failures: 0, created_at: at, updated_at: at, version: 1, edits: 1, change_id: '' },
  };
  const next = withNext(automation, at);
  if (dryRun) return next;
  if ((await context.automations.get(id)) === undefined) {
    const also = await readerWrites(context, undefined, next);
    const written = await context.automations.replace(undefined, next, { also });
    if (written !== undefined) {
      await context.automations.noteZones(process.versions.tz ?? '', { first: true });
      return written;
    }
  }
  throw InvalidFieldError.of('name', `received ${quoted(creation.name)}; there is an automation of this name`);
}

/** @throws ApiError `not_found`; InvalidFieldError as `createAutomation` */
export async function editAutomation(
  context: AutomationWriteContext,
  reference: string,
  edit: AutomationEdit,
  { owner, dryRun }: Write,
): Promise<Automation> {
  const at = timestamp(context.clock.now());
  const trigger = edit.trigger && triggerOf(edit.trigger, at);
  return await untilFirst(async () => {
    const known = await findAutomation(context, reference);
    const changed = edited(known, edit, { owner, trigger, at });
    if (edit.job !== undefined || trigger !== undefined)
      await checkJob(context, changed.job, { ...checkOf(changed, at), project: changed.project });
    const movesInstants = hasOtherInstants(known, changed);
    const run = !movesInstants ? undefined : skippedByEdit(known, Date.parse(at));
    const next = !movesInstants ? changed : withNext(withDecided(changed, run), at);
    if (dryRun) return { result: next };
    const also = await readerWrites(context, known, next);
    const written = await context.automations.replace(known, next, { ...(run && { run }), also });
    return written && { result: written };
  });
}

/** @throws ApiError `not_found` */
export async function deleteAutomation(
  context: Pick<AutomationWriteContext, 'automations' | 'readers'>,
  reference: string,
): Promise<Automation> {
  let refused: Automation | undefined;
  return await untilFirst(async () => {
    const found = await context.automations.get(automationIdOf(reference));
    // A delete whose answer was lost is repeated, and then finds nothing.
    const known = found ?? refused;
    if (known === undefined) throw ApiError.of('not_found');
    refused = known;
    const also = found === undefined ? [] : await readerWrites(context, found, undefined);
    if (found !== undefined && !(await context.automations.delete(found, also))) return undefined;
    if (known.hook !== undefined) await context.automations.secrets.delete(known);
    return { result: known };
  });
}

/** @param reference its id or name. @throws ApiError `not_found` */
export async function findAutomation(
  { automations }: Pick<AutomationWriteContext, 'automations'>,
  reference: string,
): Promise<Automation> {
  const found = await automations.get(automationIdOf(reference));
  if (found === undefined) throw ApiError.of('not_found');
  return found;
}

function edited(
  known: Automation,
  edit: AutomationEdit,
  { owner, trigger, at }: { owner: Owner; trigger: Trigger | undefined; at: string },
): Automation {
  const { paused, enabled_until: until, schedule, hook, event, ...rest } = known;
  const isResumed = edit.enabled === true && paused !== undefined;
  const nextUntil = edit.enabled_until ?? until;
  const isEnabled = isResumed || (edit.enabled === true && !known.enabled);
  return {
    ...rest,
    ...(paused !== undefined && !isResumed && { paused }),
    ...(isResumed && { failures: 0 }),
    project: edit.project ?? known.project,
    ...(trigger ?? { ...(schedule && { schedule }), ...(hook && { hook }), ...(event && { event }) }),
    ...((trigger?.event !== undefined || isEnabled) && { event_since: at }),
    job: edit.job ?? known.job,
    overlap: edit.overlap ?? known.overlap,
    missed: edit.missed ?? known.missed,
    jitter: edit.jitter ?? known.jitter,
    pause_after_failures: edit.pause_after_failures ?? known.pause_after_failures,
    enabled: edit.enabled ?? known.enabled,
    ...(nextUntil !== undefined && nextUntil !== '' && { enabled_until: nextUntil }),
    owner,
    edits: known.edits + 1,
    updated_at: at,
  };
}

/** Whether a change makes other instants due. */
function hasOtherInstants(before: Automation, after: Automation): boolean {
  if (before.schedule !== after.schedule || before.enabled_until !== after.enabled_until) return true;
  return before.enabled !== after.enabled || before.paused !== after.paused;
}

function withDecided(automation: Automation, run: Run | undefined): Automation {
  return run === undefined ? automation : { ...automation, decided: run.last_due ?? run.due };
}

/** The automation with its first instant after a time; instants before that are not due. */
function withNext({ next_due: _before, ...automation }: Automation, at: string): Automation {
  const { decided = at } = automation;
  const next = nextInstant(automation, Date.parse(decided > at ? decided : at));
  return { ...automation, ...(next !== undefined && { next_due: next }) };
}

type Trigger = Pick<Automation, 'schedule' | 'hook' | 'event'>;

/** What keeps the reader of the feed, in the same transaction: there is one while events start the automation. */
async function readerWrites(
  { readers }: Pick<AutomationWriteContext, 'readers'>,
  before: Automation | undefined,
  after: Automation | undefined,
) {
  const { id = '' } = after ?? before ?? {};
  if (before?.event === after?.event) return [];
  if (readers === undefined) throw new Error('no readers of the feed');
  const reader = `${AUTOMATION_READER}:${id}`;
  return [after?.event === undefined ? readers.removal(reader) : await readers.addition(reader, after.event.types)];
}

/** By what its job is checked: values as its next run has them, and whether data from outside is added. */
function checkOf(
  { schedule, hook, event, last_success_at: success = 'never' }: Trigger & { last_success_at?: string | undefined },
  at: string,
) {
  return {
    sample: {
      ...{ due_at: at, last_success_at: success, timezone: schedule?.timezone ?? 'UTC' },
      ...valuesOfEvent(undefined),
    },
    takesData: hook !== undefined || event !== undefined,
  };
}

/** @throws InvalidFieldError with all faults */
function triggerOf({ schedule, hook, event }: AutomationCreation['trigger'], at: string): Trigger {
  if (hook !== undefined) checkHook(hook);
  return {
    ...(schedule !== undefined && { schedule: scheduleOf(schedule, at) }),
    ...(hook !== undefined && { hook }),
    ...(event !== undefined && { event }),
  };
}

const FIELD = 'trigger.schedule';

/** @throws InvalidFieldError with all faults */
function scheduleOf(
  { cron, every, timezone = 'UTC' }: NonNullable<AutomationCreation['trigger']['schedule']>,
  anchor: string,
): Schedule {
  const problems: FieldProblem[] = [];
  const note = (field: string, problem: string | undefined) => {
    if (problem !== undefined) problems.push({ fields: [`${FIELD}.${field}`], problem });
  };
  const named = zoneNamed(timezone);
  const zone = 'zone' in named ? named.zone : 'UTC';
  if ('fault' in named) note('timezone', named.fault);
  if ((cron === undefined) === (every === undefined))
    problems.push({
      fields: [`${FIELD}.cron`, `${FIELD}.every`],
      problem: `received ${cron === undefined ? 'neither' : 'both'}; expected one of them`,
    });
  const expression = cron?.trim().replaceAll(/\s+/g, ' ');
  if (expression !== undefined) note('cron', cronFault(expression, zone));
  if (every !== undefined) note('every', intervalFault(every));
  if (problems.length > 0) throw new InvalidFieldError(problems);
  return {
    ...(expression !== undefined && { cron: expression }),
    ...(every !== undefined && { every }),
    timezone: zone,
    anchor,
  };
}
