import { effectOf } from '../../../../lib/jobs/lifecycle/effects.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { VirtualTime } from '../../model/virtual-time.ts';

/** The succeeded jobs with deployments that are due. */
export class DueDeployments {
  readonly #time: VirtualTime;
  readonly #jobs = new Set<string>();
  readonly #onFirst = new Set<() => void>();
  #since = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  get areThere(): boolean {
    return this.#jobs.size > 0;
  }

  /** Since when there have been some, milliseconds of virtual time. */
  get since(): number {
    return this.#since;
  }

  /** Something is to be done whenever a deployment is due and none was before. @returns what calls it off */
  onFirst(act: () => void): () => void {
    this.#onFirst.add(act);
    return () => this.#onFirst.delete(act);
  }

  /** A job was written. */
  note(job: Job): void {
    const { id, commands_held } = job;
    if (effectOf(job, 'commands') === undefined || commands_held === true) return void this.#jobs.delete(id);
    if (this.#jobs.has(id) || this.#jobs.add(id).size > 1) return;
    this.#since = this.#time.now;
    for (const act of this.#onFirst) act();
  }
}
