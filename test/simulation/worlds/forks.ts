import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { lacksCopy } from '../../../lib/jobs/lifecycle/thread.ts';
import { ownFolder } from '../../../lib/jobs/lifecycle/working-folder.ts';
import type { AttemptContext } from '../../../worker-container/attempt/attempt.ts';
import { copied, sourceToCopy } from '../../../worker-container/forks/fork-source.ts';
import { rethrowTransient } from '../../../worker-container/secrets/transient-error.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import type { ModelDeployment } from './deployment.ts';

/** Longest time that a copy takes, milliseconds. */
const COPY_WITHIN = 40_000;

interface Copying {
  readonly fork: string;
  readonly attempt: number;
  readonly thread: string | undefined;
  /** The job whose private folder is copied. */
  readonly owner: string;
}

/** The copies that forks make: found and recorded by the real modules; what is copied does not matter. */
export class ModelForks {
  readonly #deployment: ModelDeployment;
  readonly #copying = new Set<Copying>();
  /** Called with the job whose folder is about to be copied. */
  onCopy: (source: Job) => void = () => undefined;

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
  }

  /** Makes the copy that an attempt needs before its agent starts. */
  async copy(context: AttemptContext, job: Job, process: SimulatedProcess): Promise<void> {
    const source = await rethrowTransient(() => sourceToCopy(context, job));
    if (source === undefined) return;
    const copying = { fork: job.id, attempt: job.attempt, thread: source.thread_id, owner: ownFolder(source) };
    this.#copying.add(copying);
    this.onCopy(source);
    process.onDeath(() => this.#copying.delete(copying));
    try {
      const duration = this.#deployment.random.integer(10, COPY_WITHIN);
      await new Promise<void>((resolve) => void process.schedule(resolve, duration));
      await rethrowTransient(() => copied(context, job));
      this.#deployment.tellEvent('fork copied');
    } finally {
      this.#copying.delete(copying);
    }
  }

  /** What is wrong with the start of a job; undefined: nothing. */
  faultOfStart(job: Job): string | undefined {
    const fork = this.copierOf(job);
    return fork && `it runs while ${this.#deployment.nameOf(fork)} copies its folder`;
  }

  /** The fork that copies the folder of a job; undefined: none. A replaced attempt copies for nobody. */
  copierOf(job: Job): string | undefined {
    for (const { fork, attempt, thread, owner } of this.#copying) {
      const is = this.#deployment.allJobs().find(({ id }) => id === fork);
      const isLive = is?.status === 'RUNNING' && is.attempt === attempt && lacksCopy(is);
      const isThere = job.cwd === undefined || job.folder_of !== undefined;
      const isSame = (thread !== undefined && job.thread_id === thread) || (isThere && ownFolder(job) === owner);
      if (isLive && isSame && job.id !== fork) return fork;
    }
    return undefined;
  }

  /** What is wrong with the forks once everything has come to rest. */
  faultsAtRest(jobs: readonly Job[]): string[] {
    return jobs
      .filter((job) => job.status === 'SUCCEEDED' && lacksCopy(job))
      .map(({ id }) => `${this.#deployment.nameOf(id)} has succeeded without its copy`);
  }
}
