import type { JobDeployment } from '../../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { BashCommand, CommandEnd } from '../../../../worker-container/commands/bash-command.ts';
import type { SimulatedProcess } from '../../model/simulated-process.ts';
import { type FolderWorld, folderOf } from '../../rules/folder-rules.ts';
import type { ModelDeployment } from '../deployment.ts';
import type { ModelForks } from '../forks.ts';

/** Milliseconds from the polite signal to the end, as `bash-command.ts` has it. */
const GRACE_MS = 2_000;

/** How many of the commands run for minutes. */
const LONG = 0.05;

/** How many of them keep their worker from running. */
const STALLING = 0.03;

/** A command of a system job that was given up must have ended after so many milliseconds. */
const ENDED_AFTER = 90_000;

/** One command in progress. */
interface LiveCommand {
  /** Id and attempt of the system job that runs it. */
  readonly id: string;
  readonly attempt: number;
  readonly process: SimulatedProcess;
}

/** The commands of bindings: the real modules start them and record their ends; they run for a random time. */
export class ModelCommands {
  readonly live = new Set<LiveCommand>();
  readonly #deployment: ModelDeployment;
  readonly #forks: ModelForks;
  readonly #folders: FolderWorld;
  /** The commands that were started, by the id of the system job. */
  readonly #started = new Map<string, string[]>();
  /** How many ended well, by the id of the system job. */
  readonly #succeeded = new Map<string, number>();

  constructor(deployment: ModelDeployment, forks: ModelForks, folders: FolderWorld) {
    this.#deployment = deployment;
    this.#forks = forks;
    this.#folders = folders;
  }

  /** `runCommand` of one worker. */
  on(process: SimulatedProcess): (run: BashCommand) => Promise<CommandEnd> {
    const { time, random } = this.#deployment;
    return async ({ mark, command, timeoutMs, stopping }) => {
      const [id = '', attempt = ''] = mark.split('/');
      const run: LiveCommand = { id, attempt: Number(attempt), process };
      this.#judgeStart(run, command);
      this.live.add(run);
      process.onDeath(() => this.live.delete(run));
      // It continues while its worker is paused; only the event of its end waits.
      const exited = new Promise<'exited'>((resolve) => {
        const exit = () => {
          this.live.delete(run);
          process.deliver(() => resolve('exited'));
        };
        time.schedule(exit, this.#length(process));
      });
      const over = Promise.withResolvers<'timed out' | 'stopped'>();
      process.schedule(() => over.resolve('timed out'), timeoutMs);
      const stop = () => over.resolve('stopped');
      stopping.addEventListener('abort', stop, { once: true });
      if (stopping.aborted) stop();
      const ended = await Promise.race([exited, over.promise]);
      stopping.removeEventListener('abort', stop);
      if (ended === 'exited') {
        const isGood = random.chance(0.8);
        if (isGood) this.#succeeded.set(id, (this.#succeeded.get(id) ?? 0) + 1);
        return { ended, exit: { exitCode: isGood ? 0 : 1, signal: null }, survivors: [] };
      }
      const grace = random.skewed(50, GRACE_MS);
      await Promise.race([exited, new Promise<void>((resolve) => void process.schedule(resolve, grace))]);
      this.live.delete(run);
      return { ended, exit: { exitCode: null, signal: 'SIGTERM' }, survivors: [] };
    };
  }

  /** Milliseconds that a command runs. A heavy one may leave its worker no time. */
  #length(process: SimulatedProcess): number {
    const { faults, random } = this.#deployment;
    if (faults.weather === 'stormy' && faults.happens('stalled by commands', STALLING)) {
      const stall = random.integer(60_000, 170_000);
      process.stall(stall);
      return stall + random.integer(0, 150_000);
    }
    return random.chance(LONG) ? random.integer(60_000, 240_000) : random.skewed(50, 60_000);
  }

  /** The job whose commands run in the folder or thread of a job; undefined: none. */
  worksBeside(job: Job): string | undefined {
    const run = [...this.live].find((one) => this.#isHeld(one) && this.#meets(one, job));
    return run && this.#sourceOf(run)?.id;
  }

  /** A system job was given up: what is left of it must end, unless its worker is paused, dead or cut off. */
  onGivenUp({ id }: Job): void {
    const { time, tellFault } = this.#deployment;
    const run = [...this.live].find((live) => live.id === id);
    if (run === undefined) return;
    this.#deployment.tellEvent('commands given up while they ran');
    const since = time.now;
    time.schedule(() => {
      if (this.live.has(run) && run.process.hasRunSince(since) && run.process.wasConnectedSince(since))
        tellFault(`commands of ${this.#deployment.nameOf(id)} run on although they were given up`);
    }, ENDED_AFTER);
  }

  #judgeStart(run: LiveCommand, command: string): void {
    const tell = (fault: string) =>
      this.#deployment.tellFault(`commands of ${this.#deployment.nameOf(run.id)}: ${fault}`);
    const started = this.#started.get(run.id) ?? [];
    if (started.includes(command)) tell('one was started twice');
    this.#started.set(run.id, [...started, command]);
    const system = this.#jobOf(run.id);
    if (system?.status === 'CANCELLED') tell('one was started after it was cancelled');
    // The worker was taken for lost between its claim and the start.
    if (!this.#isHeld(run)) return;
    const job = this.#sourceOf(run);
    if (job?.status !== 'SUCCEEDED' || system?.cause.kind !== 'system' || job.attempt !== system.cause.attempt)
      tell(`they run after attempt ${job?.attempt}, which is ${job?.status}`);
    for (const other of this.#folders.jobs())
      if (other.status === 'RUNNING' && this.#meets(run, other))
        tell(`they run in the folder of ${this.#deployment.nameOf(other.id)}`);
    for (const other of this.live)
      if (this.#isHeld(other) && this.#meets(run, this.#sourceOf(other)))
        tell(`they run beside those of ${this.#deployment.nameOf(other.id)}`);
    const copied = job && this.#forks.copierOf(job);
    if (copied !== undefined) tell(`they run while ${this.#deployment.nameOf(copied)} copies the folder`);
  }

  /** Whether a command of a system job was started. */
  hasStarted({ id }: Pick<Job, 'id'>): boolean {
    return this.#started.has(id);
  }

  /** Whether all commands of a system job have ended well. */
  haveSucceeded({ id }: Pick<Job, 'id'>, { mode }: JobDeployment): boolean {
    return this.#succeeded.get(id) === (mode === 'custom' ? 1 : 3);
  }

  /** Whether the worker of a command still has the system job. */
  #isHeld({ id, attempt, process }: LiveCommand): boolean {
    const job = this.#jobOf(id);
    return job?.status === 'RUNNING' && job.attempt === attempt && job.worker_id === process.name;
  }

  /** Whether commands and a job are in one thread, or in one folder that is for one of them at a time. */
  #meets(run: LiveCommand, other: Job | undefined): boolean {
    const job = this.#sourceOf(run);
    if (job === undefined || other === undefined) return false;
    if (job.thread_id !== undefined && job.thread_id === other.thread_id) return true;
    const folder = folderOf(this.#folders, job);
    return folder !== undefined && folder === folderOf(this.#folders, other);
  }

  /** The job that is deployed. */
  #sourceOf({ id }: LiveCommand): Job | undefined {
    const { cause } = this.#jobOf(id) ?? {};
    return cause?.kind === 'system' ? this.#jobOf(cause.job) : undefined;
  }

  #jobOf(id: string | undefined): Job | undefined {
    return id === undefined ? undefined : (this.#deployment.jobs.get({ id }, true) as Job | undefined);
  }
}
