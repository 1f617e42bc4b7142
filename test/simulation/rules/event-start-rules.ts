import type { Automation, Run } from '../../../lib/automations/automation.ts';
import { isBehind, passesTrigger } from '../../../lib/automations/events/event-trigger.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { EventView } from '../../../lib/contract/schemas/event.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Item } from '../model/expressions.ts';
import type { ModelDeployment } from '../worlds/deployment.ts';

/** Clocks of two machines differ by so many milliseconds at most. */
const SKEW = 1_200_000;

/**
 * What events may start: an event is decided once by each automation that it fits, in the order of the feed, and has one
 * job or a reason; an automation is once in a chain of jobs, and a chain has few events.
 */
export class EventStartRules {
  readonly #deployment: ModelDeployment;

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
  }

  /** What is wrong with a write to the registry; undefined: nothing. */
  faultOfWrite(before: Item | undefined, after: Item | undefined): string | undefined {
    const [was, is] = [before, after] as [(Run & Item) | undefined, (Run & Item) | undefined];
    if (!String(after?.kind).startsWith('automation-runs#') || is?.event === undefined) return undefined;
    const { id } = is.event.view;
    if (is.reason !== undefined) this.#deployment.tellEvent(eventOf(is));
    if (was === undefined && is.outcome === 'fired') this.#deployment.tellEvent('event started a job');
    const isKnown = was === undefined || (was.outcome === 'fired' && is.outcome === 'failed');
    return isKnown ? undefined : `event ${id} was ${was.outcome} by ${is.kind}, and is now ${is.outcome}`;
  }

  /** What is wrong with a write to a job; undefined: nothing. */
  faultOfJob(before: Job | undefined, { cause }: Job): string | undefined {
    if (before !== undefined || cause.kind !== 'event') return undefined;
    let events = 1;
    for (
      let at = this.#find(cause.job);
      at !== undefined;
      at = 'job' in at.cause ? this.#find(at.cause.job) : undefined
    ) {
      if ('automation' in at.cause && at.cause.automation === cause.automation)
        return `it is in a circle with ${this.#deployment.nameOf(at.id)} of ${cause.automation}`;
      if (at.cause.kind === 'event') events += 1;
    }
    if (events > LIMITS.automations.eventDepth) return `${events} events are in its chain`;
    return events === cause.depth ? undefined : `${events} events are in its chain, and it says ${cause.depth}`;
  }

  /** What is wrong once the feed is read: an event without a run, a run without its job, a job without its run. */
  faultsAtRest(events: readonly EventView[]): string[] {
    const items = this.#deployment.registry.all();
    const jobs = new Map(this.#deployment.allJobs().map((job) => [job.id, job]));
    const runs = (items as (Run & Item)[]).filter(({ kind }) => String(kind).startsWith('automation-runs#'));
    const started = new Set<string>();
    const faults: string[] = [];
    for (const { kind, event, outcome, reason, job_id: id } of runs) {
      if (event === undefined) continue;
      const about = `${kind}: event ${event.view.id}`;
      if (outcome !== 'fired' && reason === undefined) faults.push(`${about} has no job and no reason`);
      if (outcome !== 'fired') continue;
      const cause = jobs.get(id ?? '')?.cause;
      if (cause?.kind !== 'event' || cause.event !== event.view.id) faults.push(`${about} has no job`);
      if (started.has(id ?? '')) faults.push(`${about} has the job of another one`);
      started.add(id ?? '');
    }
    for (const { id, cause } of jobs.values())
      if (cause.kind === 'event' && !started.has(id)) faults.push(`${this.#deployment.nameOf(id)} is of no run`);
    for (const automation of items.filter(({ kind }) => kind === 'automation') as unknown as Automation[])
      faults.push(...faultsOf(automation, events, runs));
    return faults;
  }

  #find(id: string | undefined): Job | undefined {
    return id === undefined ? undefined : (this.#deployment.jobs.get({ id }, true) as Job | undefined);
  }
}

/** Events that it has passed over. What came while it was disabled, or just before, has no run. */
function faultsOf(automation: Automation, events: readonly EventView[], runs: readonly (Run & Item)[]): string[] {
  const { id, made, event: trigger, event_since: since, event_decided: decided, enabled, paused } = automation;
  if (trigger === undefined || !enabled || paused !== undefined) return [];
  const mine = runs.filter(({ kind }) => kind === `automation-runs#${id}#${made}`);
  const known = new Set(mine.map(({ event }) => event?.view.id));
  const first = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since) + SKEW;
  const fitting = events.filter((event) => passesTrigger(trigger, event) && Date.parse(event.time) >= first);
  const left = fitting.filter((event) => !known.has(event.id)).map((event) => event.id);
  const last = fitting.at(-1);
  return [
    ...left.map((event) => `${id}: event ${event} was not decided`),
    ...(last !== undefined && isBehind(last, decided) ? [`${id}: it has decided up to ${decided}`] : []),
  ];
}

function eventOf({ reason }: Run) {
  if (reason === 'circle') return 'event would make a circle' as const;
  return reason === 'too_deep' ? ('event would make a chain too deep' as const) : ('event started nothing' as const);
}
