import type { Automation, Run } from '../../../lib/automations/automation.ts';
import { isTerminal } from '../../../lib/contract/statuses.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Actor } from '../model/client.ts';
import type { EventKind } from '../model/events.ts';
import type { Item } from '../model/expressions.ts';
import { ScheduleRules } from '../schedules/schedule-rules.ts';
import type { ModelDeployment } from '../worlds/deployment.ts';

/**
 * What automations may do: each due instant is decided once (`ScheduleRules`), jobs of one automation run one after the
 * other and as `overlap` says, it pauses after failures and for its owner, and for no other reason.
 */
export class AutomationRules {
  readonly #deployment: ModelDeployment;
  readonly #tell: (fault: string) => void;
  readonly #schedules: ScheduleRules;
  /** Jobs that a client has queued again: they are no longer looked after by their automation. */
  readonly #retried = new Set<string>();
  /** When jobs failed, milliseconds of virtual time. */
  readonly #failedAt = new Map<string, number>();
  /** Jobs of an automation by their order of creation. */
  readonly #jobs = new Map<string, string[]>();
  /** When clients changed an automation. */
  readonly #editedAt = new Map<string, number>();
  /** When tokens were revoked. */
  readonly #revokedAt = new Map<string, number>();
  /** `made` of automations that were deleted. */
  readonly #deleted = new Set<string>();
  /** The automation as it was before the write that an entry of its history belongs to. */
  #decided: Automation | undefined;

  constructor(deployment: ModelDeployment, tell: (fault: string) => void) {
    this.#deployment = deployment;
    this.#tell = tell;
    this.#schedules = new ScheduleRules(tell);
  }

  onRevocation(token: string): void {
    this.#revokedAt.set(token, this.#deployment.time.now);
  }

  /** Judges a write to the registry. */
  onWrite(before: Item | undefined, after: Item | undefined, actor: Actor): void {
    this.#schedules.onWrite(before, after);
    const { kind = '' } = (after ?? before ?? {}) as { kind?: string };
    if (kind === 'automation') this.#onAutomation(before as Automation | undefined, after as Automation | undefined);
    if (kind.startsWith('automation-runs#') && before === undefined && after !== undefined)
      this.#onEntry(after as Run & Item, actor);
  }

  /** What is wrong with a write to a job; undefined: nothing. */
  faultOf(before: Job | undefined, after: Job): string | undefined {
    if (after.cause.kind !== 'schedule') return undefined;
    if (before !== undefined && isTerminal(before.status) && after.status === 'QUEUED') this.#retried.add(after.id);
    if (after.status === 'FAILED' && before?.status !== 'FAILED')
      this.#failedAt.set(after.id, this.#deployment.time.now);
    const { automation } = after.cause;
    if (before === undefined) return this.#faultOfCreation(after, automation);
    if (after.status !== 'RUNNING' || before.status === 'RUNNING') return undefined;
    const other = this.#jobsOf(automation).find(({ id, status }) => id !== after.id && status === 'RUNNING');
    return other && `it runs beside ${this.#deployment.nameOf(other.id)} of its automation`;
  }

  #faultOfCreation(job: Job, id: string): string | undefined {
    // Those of a deleted automation of this name are in nobody's care.
    const isOpen = (one: Job) => !isTerminal(one.status) && !this.#retried.has(one.id);
    const open = this.#jobsOf(id).filter((one) => one.id !== job.id && isOpen(one) && madeOf(one) === madeOf(job));
    this.#jobs.set(id, [...(this.#jobs.get(id) ?? []), job.id]);
    const automation = this.#automation(id);
    // Those that were missed run in order, whatever `overlap` says.
    if (automation === undefined || automation.missed === 'all') return undefined;
    const names = open.map((one) => this.#deployment.nameOf(one.id)).join(', ');
    if (automation.overlap === 'skip' && open.length > 0) return `created while ${names} had not ended`;
    if (automation.overlap === 'queue' && open.length > 1) return `created while ${names} waited`;
    if (automation.overlap !== 'replace') return undefined;
    const left = open.filter(({ cancel_requested_at: asked }) => asked === undefined);
    return left.length > 0 ? `created while ${names} was not asked to end` : undefined;
  }

  #onAutomation(before: Automation | undefined, after: Automation | undefined): void {
    this.#decided = before;
    const { id, made } = (after ?? before) as Automation;
    if (after === undefined) this.#deleted.add(made);
    const isReplacing = before?.firing === undefined && after?.firing?.replaces !== undefined;
    if (isReplacing) this.#deployment.tellEvent('automation replaced its job');
    if (before === undefined || before.edits !== after?.edits) this.#editedAt.set(id, this.#deployment.time.now);
  }

  #onEntry(run: Run & Item, { id }: Actor): void {
    const automation = this.#decided;
    if (automation === undefined) {
      this.#tell(`${run.kind} ${run.due}: an entry of no automation`);
      return;
    }
    const event = eventOf(run);
    if (event !== undefined) this.#deployment.tellEvent(event);
    // What was written before the first call of a process is known to it.
    const known = this.#deployment.firstCalls.get(id) ?? 0;
    const fault = run.manual === true ? undefined : this.#faultOfPause(automation, run, known);
    if (fault !== undefined) this.#tell(`${automation.id} ${run.due}: ${fault}`);
  }

  #faultOfPause(automation: Automation, { outcome, reason }: Run, known: number): string | undefined {
    const { owner, pause_after_failures: most, id } = automation;
    const revoked = this.#revokedAt.get(owner.token_id ?? '');
    if (reason === 'paused_owner') return revoked === undefined ? 'its owner works' : undefined;
    const jobs = this.#jobs.get(id) ?? [];
    const failed = jobs.filter((one) => this.#failedAt.has(one)).length;
    // Runs whose job could not be created count, and there are none here.
    if (reason === 'paused_failures')
      return failed < most ? `${failed} of its jobs have failed, not ${most}` : undefined;
    if (outcome !== 'fired') return undefined;
    if (revoked !== undefined && revoked < known) return 'it fired, and its owner was revoked';
    const last = most === 0 ? [] : jobs.slice(-most);
    const since = this.#editedAt.get(id) ?? 0;
    const haveFailed = last.every((one) => {
      const at = this.#failedAt.get(one);
      return at !== undefined && at < known && at > since && !this.#retried.has(one);
    });
    return last.length === most && most > 0 && haveFailed
      ? `it fired, and its last ${most} jobs have failed`
      : undefined;
  }

  /** What is wrong once nothing is due: an entry that is owed, a run without its job, a job without its run. */
  faultsAtRest(): string[] {
    this.#schedules.expectNothingOpen();
    const faults: string[] = [];
    const jobs = new Map(this.#deployment.allJobs().map((job) => [job.id, job]));
    const fired = new Set<string>();
    for (const item of this.#deployment.registry.all()) {
      const kind = String(item.kind);
      if (kind === 'automation' && item.firing !== undefined) faults.push(`${item.id}: its job was not created`);
      if (!kind.startsWith('automation-runs#') || item.outcome !== 'fired') continue;
      const id = String(item.job_id);
      if (fired.has(id)) faults.push(`${this.#deployment.nameOf(id)} is of two runs`);
      fired.add(id);
      const isGone = this.#deleted.has(kind.split('#').at(-1) ?? '');
      if (!jobs.has(id) && !isGone) faults.push(`${kind} ${item.due}: its job is not there`);
    }
    for (const { id, cause } of jobs.values())
      if (cause.kind === 'schedule' && !fired.has(id)) faults.push(`${this.#deployment.nameOf(id)} is of no run`);
    return faults;
  }

  #jobsOf(id: string): Job[] {
    return this.#deployment.allJobs().filter(({ cause }) => cause.kind === 'schedule' && cause.automation === id);
  }

  #automation(id: string): Automation | undefined {
    return this.#deployment.registry.get({ kind: 'automation', id }, true) as Automation | undefined;
  }
}

function eventOf({ outcome, reason, manual }: Run): EventKind | undefined {
  if (manual === true) return 'automation run by a client';
  if (outcome === 'fired') return 'automation fired';
  if (reason === 'paused_owner') return 'automation paused for its owner';
  if (reason === 'paused_failures') return 'automation paused for failures';
  return outcome === 'skipped' ? 'automation skipped an instant' : undefined;
}

function madeOf({ cause }: Job): string | undefined {
  return cause.kind === 'schedule' ? cause.made : undefined;
}
