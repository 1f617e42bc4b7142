import { Logger } from '@aws-lambda-powertools/logger';
import { ApiError, ERRORS, InvalidFieldError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { RUN_REASONS, type RunReason } from '../contract/schemas/automation.ts';
import type { ThreadSlotContext } from '../jobs/admission/thread-slot.ts';
import { isTokenActive } from '../jobs/creation/child-rights.ts';
import { type CreationContext, createJob } from '../jobs/creation/create-job.ts';
import { jobIdOf } from '../jobs/lifecycle/cause.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { endJob } from '../jobs/trees/act-on-tree.ts';
import { skipDamaged } from '../platform/aws/skip-damaged.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { untilFirst } from '../platform/until-first.ts';
import { type Automation, type EndedOrNot, nextInstant, type Run, withEnds } from './automation.ts';
import { requestOf } from './automation-job.ts';
import type { AutomationStore } from './automation-store.ts';
import { decideDelivery } from './decide-delivery.ts';
import { decideDue, isDue } from './decide-due.ts';
import { quotedEvent, valuesOfEvent } from './events/event-trigger.ts';
import { quotedData, readBody } from './hooks/delivery-data.ts';
import type { Delivery, Writes } from './hooks/delivery-store.ts';

/*
 * Evaluates automations: the part of the minute's pass that starts jobs by schedule.
 *
 * 1. The pass reads the automations that have something to do now, which is one request while none has.
 * 2. `decideDue` decides about the first due instants of one. A transaction records that: the run in the history, and in
 *    the automation its next instant and, if it fires, the run whose job is still to be created. It is conditional on the
 *    automation's version, so of concurrent passes one decides.
 * 3. The job is created, with an id that follows from automation and instant.
 * 4. A second transaction notes that, and moves the automation to the time of its next instant.
 *
 * A pass that dies between 2 and 4 leaves an automation that still has something to do: the next pass creates the job, or
 * finds it, and notes that. A job that can't be created, such as one whose profile was deleted, is a failed run.
 */

const log = new Logger({ serviceName: 'promptq-automations' });

/** Dependencies for running automations. */
export interface FireContext extends CreationContext, Pick<ThreadSlotContext, 'slots'> {
  readonly automations: AutomationStore;
}

/** Automations that are evaluated at a time: most of a firing is waiting for requests. */
const AT_ONCE = 20;

/** How long one pass evaluates; another one continues at once. */
const PASS_MS = 40_000;

/**
 * Fires what is due at all automations, until its time is up.
 * @param zones the version of this process's time zone data
 * @returns whether it has come to all of them
 */
export async function fireDue(context: FireContext, zones: string = process.versions.tz ?? ''): Promise<boolean> {
  const end = context.clock.now() + PASS_MS;
  const due = await context.automations.due(timestamp(context.clock.now()));
  if (due.zones !== undefined && due.zones !== zones) await computeAgain(context, zones);
  const evaluate = async () => {
    for await (const one of due.found) {
      await skipDamaged(`automation ${one.automation}`, () => look(context, one, end));
      if (context.clock.now() > end) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, evaluate));
  return context.clock.now() <= end;
}

type Looked = Awaited<ReturnType<AutomationStore['due']>>['found'] extends AsyncGenerator<infer One> ? One : never;

async function look(context: FireContext, one: Looked, end: number): Promise<void> {
  if (one.delivery === undefined) await evaluateOne(context, one.automation, end);
  else if (!(await fireDelivery(context, one.automation, one.delivery))) await context.automations.forget(one);
}

/** Decides until nothing is due at an automation. */
async function evaluateOne(context: FireContext, id: string, end: number): Promise<void> {
  let found = await context.automations.get(id);
  // It ends, too, when another pass was faster, which then continues.
  for (let decisions = 0; found !== undefined && context.clock.now() <= end; decisions += 1) {
    const known = await finishFiring(context, found);
    const now = context.clock.now();
    if (known === undefined || !isDue(known, now)) return;
    const [jobs, ownerWorks] = [await jobsOf(context, known), await ownerCanCreate(context, known)];
    const decision = decideDue(withEnds(known, jobs), { now, ownerWorks });
    if (decision === undefined) return;
    const { automation, run, replaces } = decision;
    const isLate = decisions === 0 && run.late_seconds > LIMITS.automations.lateSeconds;
    if (isLate)
      log.warn('an automation was evaluated late', { automation: id, due: run.due, seconds: run.late_seconds });
    found = await record(context, known, {
      ...{ automation, run, isLate },
      ...(replaces !== undefined && { replaces }),
    });
  }
}

/**
 * Decides about a delivery, unless that is done, and creates its job.
 * @returns false if the automation is gone
 */
export async function fireDelivery(context: FireContext, id: string, deliveryId: string): Promise<boolean> {
  const { automations, clock } = context;
  return await untilFirst(async () => {
    const found = await automations.get(id);
    const delivery = found && (await automations.deliveries.get(found, deliveryId));
    if (found === undefined || delivery === undefined) return { result: false };
    const known = found.firing === undefined ? found : await finishFiring(context, found);
    if (known === undefined) return undefined;
    if (delivery.outcome !== 'accepted') return { result: true };
    const [jobs, ownerWorks] = [await jobsOf(context, known), await ownerCanCreate(context, known)];
    const decision = decideDelivery(withEnds(known, jobs), delivery, { now: clock.now(), ownerWorks });
    const { run } = decision;
    const job_id = run.outcome === 'fired' ? jobIdOf(causeOf(known, run)) : run.job_id;
    const settled: Delivery = {
      ...delivery,
      outcome: run.outcome,
      ...(run.reason !== undefined && { reason: reasonOf(run.reason) }),
      ...(job_id !== undefined && { job_id }),
    };
    const written = await record(context, known, decision, automations.deliveries.settling(known, settled));
    if (written === undefined) return undefined;
    if (written.firing !== undefined) await finishFiring(context, written);
    return { result: true };
  });
}

function reasonOf(reason: NonNullable<Run['reason']>): string {
  return Object.hasOwn(RUN_REASONS, reason) ? RUN_REASONS[reason as RunReason] : reason;
}

/** The jobs of an automation that may have ended. */
export async function jobsOf(
  { jobs }: { readonly jobs: Pick<JobStore, 'findAll'> },
  { jobs: ids }: Pick<Automation, 'jobs'>,
): Promise<ReadonlyMap<string, EndedOrNot>> {
  if (ids.length === 0) return new Map();
  const found = await jobs.findAll(ids);
  return new Map([...found].map(([id, job]) => [id, job === 'newer' ? { status: 'RUNNING' } : job]));
}

/** Whether the owner of an automation may still create jobs. */
export async function ownerCanCreate({ registry, clock }: FireContext, { owner }: Automation): Promise<boolean> {
  if (owner.expires_at !== undefined && owner.expires_at <= timestamp(clock.now())) return false;
  return owner.token_id === undefined || (await isTokenActive(registry, owner));
}

/** Records a decision. @returns undefined: another writer was faster */
export async function record(
  { automations }: Pick<FireContext, 'automations'>,
  known: Automation,
  decision: {
    readonly automation: Automation;
    readonly run: Run;
    readonly replaces?: readonly string[];
    readonly isLate?: boolean;
  },
  also: Writes = [],
): Promise<Automation | undefined> {
  const { automation, run, replaces, isLate } = decision;
  if (run.outcome !== 'fired') return await automations.replace(known, automation, { run, isLate, also });
  const job_id = jobIdOf(causeOf(automation, run));
  const fired = { ...run, job_id };
  const firing = { run: fired, job_id, ...(replaces !== undefined && { replaces: [...replaces] }) };
  return await automations.replace(known, { ...automation, firing, last_run: fired }, { run: fired, isLate, also });
}

/**
 * Creates the job of a run that was decided, unless it is there, and notes that.
 * @returns the automation without that run; undefined: another writer was faster
 */
export async function finishFiring(context: FireContext, known: Automation): Promise<Automation | undefined> {
  const { firing, ...rest } = known;
  if (firing === undefined) return known;
  for (const id of firing.replaces ?? []) await cancel(context, id);
  const { run, job_id } = firing;
  try {
    await create(context, known, run);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { job_id: _none, ...failed } = { ...run, outcome: 'failed', reason: 'not_created' } as const;
    const noted = { ...failed, error: error.message.slice(0, LIMITS.warnings.length * 4) };
    const also = await failing(context, known, noted);
    return await context.automations.replace(
      known,
      { ...rest, failures: rest.failures + 1, last_run: noted },
      { run: noted, also },
    );
  }
  // A draft may never be submitted, so the automation does not wait for it.
  if (isDraft(known, run)) return await context.automations.replace(known, rest);
  return await context.automations.replace(known, { ...rest, jobs: [...rest.jobs, job_id] });
}

async function failing({ automations }: FireContext, automation: Automation, run: Run): Promise<Writes> {
  const delivery = run.delivery && (await automations.deliveries.get(automation, run.delivery));
  if (!delivery) return [];
  const { job_id: _none, ...rest } = delivery;
  return automations.deliveries.failing(automation, { ...rest, outcome: 'failed', reason: run.error });
}

function isDraft({ hook }: Automation, { delivery }: Run): boolean {
  return delivery !== undefined && hook?.drafts === true;
}

/** An error of what was asked, which a further try would meet again. */
function isRefusal(error: unknown): error is ApiError | InvalidFieldError {
  return error instanceof InvalidFieldError || (error instanceof ApiError && !ERRORS[error.code].retryable);
}

async function create(context: FireContext, automation: Automation, run: Run): Promise<void> {
  const { owner, project, job, schedule, last_success_at: success } = automation;
  const values = {
    ...{ due_at: run.due, last_success_at: success ?? 'never', timezone: schedule?.timezone ?? 'UTC' },
    ...valuesOfEvent(run.event?.view),
  };
  const data = await dataOf(context, automation, run);
  const request = { ...requestOf(job, values), project, ...(isDraft(automation, run) && { draft: true }) };
  await createJob(context, request, owner.name, {
    cause: causeOf(automation, run),
    tokenId: owner.token_id,
    ...(data !== undefined && { data }),
  });
}

/** The data of a delivery or an event as a quotation. @throws InvalidFieldError if the delivery has expired */
async function dataOf(
  { automations }: FireContext,
  automation: Automation,
  { delivery: id, event }: Run,
): Promise<string | undefined> {
  if (event !== undefined) return quotedEvent(event.view);
  if (id === undefined) return undefined;
  const delivery = await automations.deliveries.get(automation, id);
  if (delivery === undefined) throw InvalidFieldError.of('trigger.hook', `delivery ${id} is no longer there`);
  const read = readBody(delivery.body, delivery.media_type);
  return quotedData(id, 'data' in read ? read.data : null, automation.hook?.map);
}

function causeOf({ id, made }: Automation, { due, manual, delivery, event }: Run) {
  if (event !== undefined) {
    const { view, depth } = event;
    const of = { event: view.id, ...(view.job_id !== null && { job: view.job_id }), depth };
    return { kind: 'event', automation: id, made, ...of } as const;
  }
  if (delivery !== undefined) return { kind: 'hook', automation: id, made, delivery } as const;
  return { kind: 'schedule', automation: id, made, due: manual === true ? `${due} manual` : due } as const;
}

async function cancel(context: FireContext, id: string): Promise<void> {
  const job = await context.jobs.find(id);
  if (job === undefined || job === 'newer') return;
  const onFailure = (error: unknown) => log.warn('the thread was not continued', { job_id: id, error: error as Error });
  await endJob(context, job, { action: 'cancel', tree: true, onFailure });
}

/** The time zone data changed: computes the next instant of each automation again, where that is still to come. */
async function computeAgain(context: FireContext, zones: string): Promise<void> {
  const now = context.clock.now();
  for await (const known of context.automations.all()) {
    if (known.next_due === undefined || Date.parse(known.next_due) <= now) continue;
    const { next_due: _old, ...rest } = known;
    const next = nextInstant(known, now);
    if (next !== known.next_due)
      await context.automations.replace(known, { ...rest, ...(next !== undefined && { next_due: next }) });
  }
  await context.automations.noteZones(zones);
}
