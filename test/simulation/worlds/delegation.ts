import { ApiError, InvalidFieldError } from '../../../lib/contract/errors.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { delegateJob } from '../../../lib/jobs/creation/delegate-job.ts';
import { jobIdOf } from '../../../lib/jobs/lifecycle/cause.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { AttemptContext } from '../../../worker-container/attempt/attempt.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import type { ModelDeployment } from './deployment.ts';

/** How many of the attempts start jobs by the tool. */
const DELEGATING = 0.08;

/** How many of those jobs work in the folder of the job that starts them. */
const IN_FOLDER = 0.6;

/** Jobs that agents start by a tool: created by the real module, and asked for again when a call fails. */
export class ModelDelegation {
  readonly #deployment: ModelDeployment;
  /** Ids of the jobs that agents have asked for. */
  readonly asked = new Set<string>();
  /** Ids that the tool returned to agents, by parent and key. */
  readonly #told = new Map<string, string>();

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
  }

  /** The agent of an attempt calls the tool some time later, while it runs. */
  begin(
    context: AttemptContext,
    job: Job,
    { process, length, isOver }: { process: SimulatedProcess; length: number; isOver: () => boolean },
  ): void {
    const { random } = this.#deployment;
    if (!random.chance(DELEGATING)) return;
    for (let count = random.integer(1, 2); count > 0; count -= 1) {
      const key = `child ${random.integer(1, 3)}`;
      process.schedule(() => void this.#call(context, job, { key, isOver }), random.next() * length);
    }
  }

  async #call(
    context: AttemptContext,
    job: Job,
    { key, isOver }: { readonly key: string; readonly isOver: () => boolean },
  ): Promise<void> {
    const name = `${job.id} ${job.round ?? 0} ${key}`;
    this.asked.add(jobIdOf({ kind: 'tool', job: job.id, round: job.round ?? 0, key }));
    for (let tries = 0; tries < 3 && !isOver(); tries += 1)
      try {
        const cwd = this.#deployment.random.chance(IN_FOLDER) ? { cwd: '.' } : {};
        const { id } = await delegateJob(context, job, { prompt: key, ...cwd }, key);
        if ((this.#told.get(name) ?? id) !== id) this.#deployment.tellFault('one key gave two jobs to an agent');
        this.#told.set(name, id);
        this.#deployment.tellEvent('started by a tool');
        return;
      } catch (error) {
        if (error instanceof ApiError || error instanceof InvalidFieldError) return;
      }
  }

  /** What is wrong with the jobs that agents have started once everything has come to rest. */
  faultsAtRest(jobs: readonly Job[]): string[] {
    const ids = new Set(jobs.map(({ id }) => id));
    const lost = [...this.#told].filter(([, id]) => !ids.has(id)).map(([name]) => `the child ${name} is not there`);
    const recorded = new Map(jobs.map((job) => [job.id, new Set(job.tool_children)]));
    const strays = [...this.#told].filter(([name, id]) => recorded.get(name.split(' ')[0] ?? '')?.has(id) !== true);
    const many = jobs.filter(({ tool_children: children = [] }) => children.length > LIMITS.followUps.perJob);
    return [
      ...lost,
      ...strays.map(([name]) => `the child ${name} is not recorded on its parent`),
      ...many.map(({ id }) => `${this.#deployment.nameOf(id)} has started too many jobs`),
    ];
  }
}
