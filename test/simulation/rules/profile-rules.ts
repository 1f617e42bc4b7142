import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { ModelDeployment } from '../worlds/deployment.ts';
import { PROFILES } from './account-rules.ts';

/** The profile of which only so many jobs may run at once. */
const [, LIMITED] = PROFILES;

/** Sets in a deployment how many jobs of a profile may run at once, and sees to it that no more do. */
export class ProfileRules {
  readonly #deployment: ModelDeployment;
  readonly #most: number;

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
    this.#most = deployment.random.pick([1, 1, 2, 3]);
    const profile = { name: LIMITED, agent: LIMITED, concurrency: this.#most };
    deployment.registry.put({ kind: 'profile', id: LIMITED, profile, source: 'imported' }, {});
  }

  /** What is wrong with a write to a job; undefined: nothing. A job without a valid lease may still run. */
  faultOf(before: Job | undefined, after: Job): string | undefined {
    if (after.profile !== LIMITED || after.status !== 'RUNNING' || before?.status === 'RUNNING') return undefined;
    const running = this.#deployment.allJobs().filter((job) => job.profile === LIMITED && job.status === 'RUNNING');
    const places = new Set(running.map(({ place }) => place));
    if (running.length > this.#most) return `${running.length} jobs of a profile run that allows ${this.#most}`;
    return places.size < running.length ? 'two jobs of a profile run in one place' : undefined;
  }
}
