import { readyOrder } from '../../../lib/jobs/indexes/ready-keys.ts';
import { bandOf, type Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { ModelDeployment } from '../worlds/deployment.ts';

/** Milliseconds after which every index shows that a job is ready. */
const SHOWN_AFTER = 120_000;

/** So many slots may each be claiming a better job at the moment, or have failed to. */
const MOST_OVERTAKEN = 16;

/** A ready job is claimed before worse ones of its band and project, whatever partition it is in. */
export class OrderRules {
  readonly #deployment: ModelDeployment;
  /** How many worse jobs were claimed since a job has been ready, by its id and version. */
  readonly #overtaken = new Map<string, number>();

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
  }

  faultOf(before: Job | undefined, after: Job): string | undefined {
    if (before?.status !== 'QUEUED' || after.status !== 'RUNNING') return undefined;
    for (const job of this.#deployment.allJobs()) {
      if (!this.#isBetter(job, before)) continue;
      const name = `${job.id}@${job.version}`;
      const times = (this.#overtaken.get(name) ?? 0) + 1;
      this.#overtaken.set(name, times);
      if (times > MOST_OVERTAKEN)
        return `is claimed although ${this.#deployment.nameOf(job.id)} is better, as the ${times}th worse job`;
    }
    return undefined;
  }

  #isBetter(job: Job, than: Job): boolean {
    return (
      job.status === 'QUEUED' &&
      job.parked === undefined &&
      job.due_at === undefined &&
      job.project_id === than.project_id &&
      bandOf(job) === bandOf(than) &&
      readyOrder(job) < readyOrder(than) &&
      this.#deployment.unchangedFor(job.id) > SHOWN_AFTER
    );
  }
}
