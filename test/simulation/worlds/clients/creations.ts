import type { NewJob } from '../../../../lib/contract/schemas/jobs/one-name.ts';
import { PROFILES } from '../../rules/account-rules.ts';
import type { ModelDeployment } from '../deployment.ts';

/** The projects of a world. */
export const PROJECTS = ['p1', 'p2'] as const;

/** How many of the jobs continue another one. */
const CONTINUED = 0.35;

/** How many of the others fork one. */
const FORKED = 0.2;

/** What clients ask for when they create a job. */
export class Creations {
  readonly #deployment: ModelDeployment;
  /** Of the jobs that were acknowledged. */
  readonly #ids: ReadonlySet<string>;
  /** The job that was forked last. */
  #forked: string | undefined;

  constructor(deployment: ModelDeployment, ids: ReadonlySet<string>) {
    this.#deployment = deployment;
    this.#ids = ids;
  }

  next(key: string | undefined): NewJob {
    const { random } = this.#deployment;
    // Turns of a thread that is being copied wait for the copy.
    const copied = random.chance(0.7) ? this.#forked : undefined;
    this.#forked = undefined;
    const continued = copied ?? (random.chance(CONTINUED) ? [...this.#ids].at(-random.integer(1, 6)) : undefined);
    if (continued !== undefined) return this.#continuation(continued, key);
    const forked = random.chance(FORKED) ? this.#forkable() : undefined;
    this.#forked = forked;
    if (forked !== undefined)
      return { prompt: 'say it differently', fork: forked, ...(key !== undefined && { idempotency_key: key }) };
    return {
      ...(this.#deployment.templates.nextCreation() ?? { prompt: `say ${random.integer(1, 1_000)}` }),
      project: random.pick(PROJECTS),
      priority: random.integer(-2, 2),
      retries: random.pick([0, 0, 1, 3]),
      ...(random.chance(0.4) && { profile: random.pick(PROFILES) }),
      ...(random.chance(0.2) && { timeout: random.integer(1, 20) }),
      ...(random.chance(0.1) && { draft: true }),
      ...(random.chance(0.3) && { cwd: random.pick(['a', 'b']) }),
      ...(key !== undefined && { idempotency_key: key }),
    };
  }

  /** Mostly a job that has something to copy. */
  #forkable(): string | undefined {
    const { random } = this.#deployment;
    const done = this.#deployment.allJobs().filter(({ status, cwd }) => status === 'SUCCEEDED' && cwd === undefined);
    return (random.chance(0.8) ? done.map(({ id }) => id) : [...this.#ids]).at(-random.integer(1, 4));
  }

  #continuation(id: string, key: string | undefined): NewJob {
    const { random } = this.#deployment;
    return {
      ...(this.#deployment.templates.nextCreation() ?? { prompt: `say ${random.integer(1, 1_000)}` }),
      continue: id,
      priority: random.integer(-2, 2),
      retries: random.pick([0, 0, 1]),
      ...(random.chance(0.3) && { continue_after: 'any' as const }),
      ...(random.chance(0.1) && { draft: true }),
      ...(key !== undefined && { idempotency_key: key }),
    };
  }
}
