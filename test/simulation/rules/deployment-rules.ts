import { isDeepStrictEqual } from 'node:util';
import { isFinal, type JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import { attemptsDue } from '../../../lib/jobs/lifecycle/effects.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Actor } from '../model/client.ts';
import type { EventKind } from '../model/events.ts';
import type { Item } from '../model/expressions.ts';
import type { ModelDeployment } from '../worlds/deployment.ts';
import type { ModelCommands } from '../worlds/deployments/commands.ts';

/**
 * What happens to deployments: each success gets exactly one of each binding, whose commands run at most once, and which
 * says what became of them.
 */
export class DeploymentRules {
  readonly #deployment: ModelDeployment;
  readonly #commands: ModelCommands;
  /** Ids of bindings, by project. */
  readonly #bindings: ReadonlyMap<string, readonly string[]>;

  constructor(
    deployment: ModelDeployment,
    { commands, bindings }: { commands: ModelCommands; bindings: ReadonlyMap<string, readonly string[]> },
  ) {
    this.#deployment = deployment;
    this.#commands = commands;
    this.#bindings = bindings;
  }

  /** A write to the registry. */
  onWrite(before: Item | undefined, after: Item | undefined, actor: Actor): void {
    const { kind, id } = after ?? before ?? {};
    if (!String(kind).startsWith('deployments#')) return;
    const [was, is] = [before, after] as unknown as (JobDeployment | undefined)[];
    const name = `deployment ${String(id)} of ${this.#deployment.nameOf(String(kind).slice('deployments#'.length))}`;
    const fault = is === undefined ? 'it was removed' : this.#faultOf(was, is, actor);
    if (fault !== undefined) this.#deployment.tellFault(`${name}: ${fault}`);
    const event = is && this.#eventOf(was, is);
    if (event !== undefined) this.#deployment.tellEvent(event);
  }

  /** A write to a system job. */
  onSystemJob(before: Job | undefined, after: Job): void {
    const tell = (fault: string) => this.#deployment.tellFault(`${this.#deployment.nameOf(after.id)}: ${fault}`);
    const change = `${before?.status ?? 'nothing'} ${after.status}`;
    const record = this.recordOf(after);
    if (change === 'nothing QUEUED' && record?.runs_as !== after.id) tell('no deployment has it run');
    if (change === 'QUEUED RUNNING') {
      if (this.#commands.hasStarted(after)) tell('its commands are to run again');
      const { status, attempt } = this.#sourceOf(after) ?? {};
      if (status !== 'SUCCEEDED' || attempt !== attemptOf(after)) tell(`it begins after attempt ${attempt}, ${status}`);
      this.#deployment.tellEvent('commands began');
    }
    if (change === 'RUNNING QUEUED') {
      if (this.#commands.hasStarted(after)) tell('it is handed back although its commands have begun');
      this.#deployment.tellEvent('commands withdrawn');
    }
    if (change === 'RUNNING FAILED' && after.reason === 'worker_lost') this.#commands.onGivenUp(after);
    if (before?.parked !== undefined || after.parked === undefined) return;
    if (after.parked === 'folder_busy') this.#deployment.tellEvent('commands kept waiting by a folder');
    else this.#deployment.tellEvent('commands held for their thread');
  }

  /** What is wrong with what a write changes of a job's pending deployments; undefined: nothing. */
  faultOfMark(before: Job | undefined, after: Job, { doing }: Actor): string | undefined {
    const [was, is] = [attemptsDue(before ?? {}, 'commands'), attemptsDue(after, 'commands')];
    const isSuccess = before?.status === 'RUNNING' && after.status === 'SUCCEEDED';
    if (isSuccess && this.#bindings.has(after.project_id) && !is.includes(after.attempt))
      return `attempt ${after.attempt} has succeeded and is not to be deployed`;
    const added = is.filter((attempt) => !was.includes(attempt));
    if (added.length > 0 && !isSuccess && doing !== 'deploy') return `attempt ${added} is to be deployed by ${doing}`;
    for (const attempt of was.filter((one) => !is.includes(one)))
      for (const binding of this.#bindings.get(after.project_id) ?? []) {
        const record = this.#recordAt(after.id, attempt, binding);
        if (record === undefined || !isFinal(record))
          return `the deployment of attempt ${attempt} by ${binding} counts as done, and is ${record?.state}`;
      }
    return undefined;
  }

  #faultOf(before: JobDeployment | undefined, after: JobDeployment, actor: Actor): string | undefined {
    const change = `${before?.state ?? 'nothing'} ${after.state}`;
    if (after.version !== (before?.version ?? 0) + 1) return `version ${before?.version} became ${after.version}`;
    if (before !== undefined && isFinal(before) && after.state === 'pending') {
      if (before.runs_as === after.runs_as) return 'it is to be run by the same system job again';
      return actor.doing === 'deploy' ? undefined : `deployed again by ${actor.doing}`;
    }
    const { log: _log, log_truncated: _truncated, ...cleared } = before ?? {};
    const { version, change_id } = after;
    if (isDeepStrictEqual({ ...cleared, version, change_id }, { ...after })) return undefined;
    if (change === 'nothing pending')
      return this.#deployment.succeeded.has(`${after.job_id}/${after.attempt}`)
        ? undefined
        : 'no such attempt has succeeded';
    const run = this.#jobOf(before?.runs_as);
    if (before === undefined || run === undefined || before.runs_as !== after.runs_as)
      return `${change.replace(' ', ' became ')} by ${actor.doing}`;
    switch (change) {
      case 'pending skipped':
        if (this.#commands.hasStarted(run)) return 'it is skipped although its commands have begun';
        return run.status === 'CANCELLED' ? this.#faultOfSkipped(after) : `skipped by a job that is ${run.status}`;
      case 'pending succeeded':
        if (!this.#commands.haveSucceeded(run, before)) return 'its commands have not succeeded';
        return run.status === 'SUCCEEDED' ? undefined : `succeeded by a job that is ${run.status}`;
      case 'pending failed':
        return run.status === 'FAILED' ? undefined : `failed by a job that is ${run.status}`;
      default:
        return `${change.replace(' ', ' became ')} by ${actor.doing}`;
    }
  }

  /** Only what a later attempt or a later turn has made obsolete is skipped. */
  #faultOfSkipped({ job_id, attempt, error }: JobDeployment): string | undefined {
    const jobs = this.#deployment.allJobs();
    const job = jobs.find(({ id }) => id === job_id);
    const isObsolete = job?.status !== 'SUCCEEDED' || job.attempt !== attempt;
    const isLater = (other: Job) =>
      other.thread_id === job?.thread_id && (other.turn ?? 0) > (job?.turn ?? 1) && other.attempt > 0;
    const hasChanged = job?.thread_id !== undefined && jobs.some(isLater);
    return isObsolete || hasChanged ? undefined : `it is skipped for nothing: ${error}`;
  }

  /** What is wrong with the deployments once everything has come to rest. */
  faultsAtRest(): string[] {
    return [...this.#deployment.succeeded].flatMap((success) => {
      const [job = '', attempt = ''] = success.split('/');
      const project = this.#deployment.allJobs().find(({ id }) => id === job)?.project_id ?? '';
      return (this.#bindings.get(project) ?? []).flatMap((binding) => {
        const record = this.#recordAt(job, Number(attempt), binding);
        const name = `attempt ${attempt} of ${this.#deployment.nameOf(job)}`;
        if (record === undefined) return [`${name} was never deployed by ${binding}`];
        return isFinal(record) ? [] : [`the deployment of ${name} by ${binding} stays ${record.state}`];
      });
    });
  }

  /** The deployment that a system job is for. */
  recordOf({ id, cause }: Job): JobDeployment | undefined {
    if (cause.kind !== 'system') return undefined;
    const all = this.#deployment.registry.all() as unknown as (JobDeployment & { kind: string })[];
    return all.find(({ kind, runs_as }) => kind === `deployments#${cause.job}` && runs_as === id);
  }

  #sourceOf({ cause }: Job): Job | undefined {
    return cause.kind === 'system' ? this.#jobOf(cause.job) : undefined;
  }

  #recordAt(job: string, attempt: number, binding: string): JobDeployment | undefined {
    const key = { kind: `deployments#${job}`, id: `${String(attempt).padStart(6, '0')}#${binding}` };
    return this.#deployment.registry.get(key, true) as JobDeployment | undefined;
  }

  #jobOf(id: string | undefined): Job | undefined {
    return id === undefined ? undefined : (this.#deployment.jobs.get({ id }, true) as Job | undefined);
  }

  #eventOf(before: JobDeployment | undefined, after: JobDeployment): EventKind | undefined {
    const error = after.error ?? '';
    switch (`${before?.state} ${after.state}`) {
      case 'pending succeeded':
        return 'commands succeeded';
      case 'pending skipped':
        return error.startsWith('A later turn')
          ? 'commands skipped after a later turn'
          : 'commands skipped after a retry';
      case 'pending failed':
        if (error.startsWith('The worker that ran it')) return 'commands lost with their worker';
        if (error.startsWith('The worker was stopped')) return 'commands stopped with their worker';
        return error.startsWith('It ran longer') ? 'commands timed out' : 'commands failed';
      default:
        return before !== undefined && isFinal(before) && !isFinal(after) ? 'deployed again' : undefined;
    }
  }
}

function attemptOf({ cause }: Job): number | undefined {
  return cause.kind === 'system' ? cause.attempt : undefined;
}
