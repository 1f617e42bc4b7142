import { isFinal, type JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import { attemptsDue } from '../../../lib/jobs/lifecycle/effects.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Actor } from '../model/client.ts';
import type { EventKind } from '../model/events.ts';
import type { Item } from '../model/expressions.ts';
import type { ModelDeployment } from '../worlds/deployment.ts';
import type { ModelCommands } from '../worlds/deployments/commands.ts';
import { WorkerSilence } from './worker-silence.ts';

/** How wrong (ms) a clock may be that has been set by the table's answers. */
const CLOCK_ERROR = 1_100;

/** What happens to deployments: their states move forward, and each success gets exactly one of each binding. */
export class DeploymentRules {
  readonly #deployment: ModelDeployment;
  readonly #commands: ModelCommands;
  /** Ids of bindings, by project. */
  readonly #bindings: ReadonlyMap<string, readonly string[]>;
  readonly #silence: WorkerSilence;

  constructor(
    deployment: ModelDeployment,
    { commands, bindings }: { commands: ModelCommands; bindings: ReadonlyMap<string, readonly string[]> },
  ) {
    this.#deployment = deployment;
    this.#commands = commands;
    this.#bindings = bindings;
    this.#silence = new WorkerSilence(deployment);
  }

  /** A write to the registry. */
  onWrite(before: Item | undefined, after: Item | undefined, actor: Actor): void {
    const { kind, id, left_at: leftAt, seen_at: seenAt } = after ?? before ?? {};
    if (kind === 'worker') this.#silence.note(String(id), { seenAt: String(seenAt), isLeaving: leftAt !== undefined });
    if (!String(kind).startsWith('deployments#')) return;
    const [was, is] = [before, after] as unknown as (JobDeployment | undefined)[];
    const name = `deployment ${String(id)} of ${this.#deployment.nameOf(String(kind).slice('deployments#'.length))}`;
    const fault = is === undefined ? 'it was removed' : this.#faultOf(was, is, actor);
    if (fault !== undefined) this.#deployment.tellFault(`${name}: ${fault}`);
    if (is === undefined) return;
    const event = eventOf(was, is);
    if (event !== undefined) this.#deployment.tellEvent(event);
    if (was?.state === 'running' && is.state === 'failed' && actor.doing === 'watch') this.#commands.onGivenUp(is);
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
        const record = this.#commands.recordOf({ job: after.id, attempt, binding });
        if (record === undefined || !isFinal(record))
          return `the deployment of attempt ${attempt} by ${binding} counts as done, and is ${record?.state}`;
      }
    if (after.commands_held === true && is.length === 0) return 'it holds commands and has none';
    return undefined;
  }

  #faultOf(before: JobDeployment | undefined, after: JobDeployment, actor: Actor): string | undefined {
    const change = `${before?.state ?? 'nothing'} ${after.state}`;
    if (after.version !== (before?.version ?? 0) + 1) return `version ${before?.version} became ${after.version}`;
    if (after.pending_reason !== undefined && after.state !== 'pending') return `${after.state} with a reason to wait`;
    const isOwn = actor.id === before?.worker_id;
    switch (change) {
      case 'nothing pending':
        return this.#deployment.succeeded.has(`${after.job_id}/${after.attempt}`)
          ? undefined
          : 'no such attempt has succeeded';
      case 'pending pending':
        return before?.attempts === after.attempts ? undefined : 'an attempt was counted that was not made';
      case 'pending running':
        return after.worker_id === actor.id ? undefined : `${actor.id} began it for ${after.worker_id}`;
      case 'pending skipped':
        return this.#faultOfSkipped(after);
      case 'running pending':
        if (before !== undefined && this.#commands.hasStarted(before)) return 'it is to be run again';
        return isOwn ? undefined : `${actor.id} gave back what ${before?.worker_id} runs`;
      case 'running succeeded':
        if (before !== undefined && !this.#commands.haveSucceeded(before)) return 'its commands have not succeeded';
        return isOwn ? undefined : `${actor.id} ended what ${before?.worker_id} runs`;
      case 'running failed':
        return isOwn ? undefined : this.#faultOfLoss(before, actor);
      default:
        if (before !== undefined && isFinal(before) && after.state === 'pending' && actor.doing === 'deploy')
          return undefined;
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

  #faultOfLoss(before: JobDeployment | undefined, { doing }: Actor): string | undefined {
    if (doing !== 'watch') return `it was given up by ${doing}`;
    const { worker_id = '', ends_by = '' } = before ?? {};
    const isOver = Date.parse(ends_by) < this.#deployment.time.wall + CLOCK_ERROR;
    return isOver || this.#silence.wasSilent(worker_id)
      ? undefined
      : `it was given up although ${worker_id} has never been silent`;
  }

  /** What is wrong with the deployments once everything has come to rest. */
  faultsAtRest(): string[] {
    return [...this.#deployment.succeeded].flatMap((success) => {
      const [job = '', attempt = ''] = success.split('/');
      const project = this.#deployment.allJobs().find(({ id }) => id === job)?.project_id ?? '';
      return (this.#bindings.get(project) ?? []).flatMap((binding) => {
        const record = this.#commands.recordOf({ job, attempt: Number(attempt), binding });
        const name = `attempt ${attempt} of ${this.#deployment.nameOf(job)}`;
        if (record === undefined) return [`${name} was never deployed by ${binding}`];
        return isFinal(record) ? [] : [`the deployment of ${name} by ${binding} stays ${record.state}`];
      });
    });
  }
}

function eventOf(before: JobDeployment | undefined, after: JobDeployment): EventKind | undefined {
  const error = after.error ?? '';
  switch (`${before?.state} ${after.state}`) {
    case 'pending pending':
      return 'commands kept waiting by a folder';
    case 'pending running':
      return 'commands began';
    case 'running pending':
      return 'commands withdrawn';
    case 'running succeeded':
      return 'commands succeeded';
    case 'pending skipped':
      return error.startsWith('A later turn')
        ? 'commands skipped after a later turn'
        : 'commands skipped after a retry';
    case 'running failed':
      if (error.startsWith('The worker that ran it')) return 'commands lost with their worker';
      if (error.startsWith('The worker was stopped')) return 'commands stopped with their worker';
      return error.startsWith('It ran longer') ? 'commands timed out' : 'commands failed';
    default:
      return before !== undefined && isFinal(before) ? 'deployed again' : undefined;
  }
}
