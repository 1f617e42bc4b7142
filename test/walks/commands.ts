import fc from 'fast-check';
import { STATUSES } from '../../lib/contract/statuses.ts';
import type { ApiAnswer, ServiceUnderTest } from '../local-run/local-service.ts';
import { type Action, JobModel, type Kind } from './job-model.ts';

/** What one walk knows. */
export interface Model {
  readonly jobs: JobModel[];
  readonly ofKey: Map<string, JobModel>;
}

interface Real {
  readonly service: ServiceUnderTest;
  /** Distinguishes the keys of this walk from those of others. */
  readonly walk: string;
}

type Command = fc.AsyncCommand<Model, Real>;

const SCRIPTS: Readonly<Record<Kind, string>> = { short: 'true', long: 'sleep 0.7', failing: 'exit 3' };

/** A walk: creations of jobs, and all that clients do to them. */
export function walks(maxCommands: number): fc.Arbitrary<Iterable<Command>> {
  const which = fc.nat({ max: 50 });
  const kind = fc.constantFrom<Kind[]>('short', 'long', 'failing');
  const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
  const key = fc.option(fc.constantFrom('a', 'b'), { nil: undefined, freq: 2 });
  const draft = fc.nat({ max: 3 }).map((n) => n === 0);
  return fc.commands(
    [
      // Each of these is as likely as the others.
      ...Array.from({ length: 4 }, () =>
        fc.tuple(kind, draft, fc.integer({ min: 0, max: 1 }), key).map((given) => new Create(...given)),
      ),
      ...(['submit', 'cancel', 'kill', 'retry'] as const).map((action) =>
        which.map(
          (n) =>
            new OnJob(n, action, async (job, { service }) => {
              judge(job, action, await service.api('POST', `/jobs/${job.id}/${action}`));
            }),
        ),
      ),
      which.map(
        (n) =>
          new OnJob(n, 'DELETE', async (job, { service }) => {
            judge(job, 'cancel', await service.api('DELETE', `/jobs/${job.id}`));
          }),
      ),
      fc.tuple(which, optional(kind), fc.integer({ min: -2, max: 2 })).map(
        ([n, as, priority]) =>
          new OnJob(n, `PATCH priority ${priority}, ${as}`, async (job, { service }) => {
            const body = { priority, ...(as !== undefined && { prompt: SCRIPTS[as] }) };
            const answer = await service.api('PATCH', `/jobs/${job.id}`, body);
            if (judge(job, 'edit', answer)) {
              job.edited(as);
              same(answer.json.priority, priority, 'the priority');
            }
          }),
      ),
      fc
        .tuple(which, fc.integer({ min: -2, max: 2 }))
        .map(
          ([n, priority]) =>
            new OnJob(n, `PUT priority ${priority}`, async (job, { service }) => await putBack(job, priority, service)),
        ),
      which.map(
        (n) =>
          new OnJob(n, 'reread-logs', async (job, { service }) => {
            const { status, json } = await service.api('POST', `/jobs/${job.id}/reread-logs`);
            same([status, json.recovered_follow_up_ids], [200, []], 'what reread-logs found');
            job.see(json);
          }),
      ),
      ...(['', '/status', '/result'] as const).map((path) =>
        which.map(
          (n) =>
            new OnJob(n, `GET ${path}`, async (job, { service }) => {
              const { status, json } = await service.api('GET', `/jobs/${job.id}${path}`);
              same([status, json.id], [200, job.id], 'what is read');
              job.see(json);
            }),
        ),
      ),
      which.map(
        (n) =>
          new OnJob(n, 'wait', async (job, { service }) => {
            // What is settled would only take time.
            const { json } = await service.api('GET', `/jobs/${job.id}/status${job.isSettled ? '' : '?wait=1'}`);
            job.see(json);
          }),
      ),
      which.map(
        (n) =>
          new OnJob(n, 'an unknown action', async (job, { service }) => {
            const { status, json } = await service.api('POST', `/jobs/${job.id}/pause`);
            same([status, json.error], [400, 'invalid action'], 'the refusal');
          }),
      ),
      fc.constant(new List()),
    ],
    { maxCommands, size: 'max' },
  );
}

class Create implements Command {
  readonly #body: { prompt: string; profile: string; draft: boolean; retries: number };
  readonly #kind: Kind;
  readonly #key: string | undefined;

  constructor(kind: Kind, draft: boolean, retries: number, key: string | undefined) {
    this.#body = { prompt: SCRIPTS[kind], profile: 'shell', draft, retries };
    this.#kind = kind;
    this.#key = key;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, { service, walk }: Real): Promise<void> {
    const key = this.#key && { idempotency_key: `${walk} ${this.#key}` };
    const { status, json, headers } = await service.api('POST', '/jobs', { ...this.#body, ...key });
    const known = model.ofKey.get(this.#key ?? '');
    const expected = known === undefined ? [201, json.id, null] : [201, known.id, 'true'];
    same([status, json.id, headers.get('idempotent-replayed')], expected, 'the answer to a creation');
    if (known !== undefined) return;
    const job = new JobModel(json.id, { kind: this.#kind, ...this.#body });
    model.jobs.push(job);
    if (this.#key !== undefined) model.ofKey.set(this.#key, job);
  }

  toString(): string {
    return `create ${JSON.stringify(this.#body)} key ${this.#key}`;
  }
}

class OnJob implements Command {
  readonly #n: number;
  readonly #name: string;
  readonly #does: (job: JobModel, real: Real) => Promise<void>;

  constructor(n: number, name: string, does: (job: JobModel, real: Real) => Promise<void>) {
    this.#n = n;
    this.#name = name;
    this.#does = does;
  }

  check({ jobs }: Readonly<Model>): boolean {
    return jobs.length > 0;
  }

  async run({ jobs }: Model, real: Real): Promise<void> {
    // The newest most of all: there is more to come for them.
    const job = jobs.at(-1 - (this.#n % Math.min(4, jobs.length)));
    if (job !== undefined) await this.#does(job, real);
  }

  toString(): string {
    return `${this.#name} of ${this.#n}`;
  }
}

class List implements Command {
  check(): boolean {
    return true;
  }

  async run({ jobs }: Model, { service }: Real): Promise<void> {
    const { status, json } = await service.api('GET', '/jobs?limit=500');
    same(status, 200, 'the status of a list');
    // The index of jobs may be behind what was answered, by which a new job can be missing and none can show twice.
    const ids = (json.items as { id: string }[]).map(({ id }) => id);
    same(new Set(ids).size, ids.length, 'the number of different jobs');
    same(Object.keys(json.status_counts), [...STATUSES], 'the states that are counted');
    same(
      jobs.every(({ id }) => id.startsWith('job_')),
      true,
      'the form of ids',
    );
  }

  toString(): string {
    return 'list';
  }
}

/** @returns whether the action was done. @throws Error if it may be neither done nor refused as it was. */
function judge(job: JobModel, action: Action, { status, json, text }: ApiAnswer): boolean {
  if (status === 200) job.done(action, json);
  else if (status === 400 && json.details !== undefined) job.refused(action, json.details);
  else throw new Error(`${action} of ${job} was answered with ${status} ${text}`);
  return status === 200;
}

/** Reads a job and sends all of it back with another priority; a job that has moved meanwhile is not as it was read. */
async function putBack(job: JobModel, priority: number, service: ServiceUnderTest): Promise<void> {
  const { json: read } = await service.api('GET', `/jobs/${job.id}`);
  job.see(read);
  const wasSettled = job.isSettled;
  const answer = await service.api('PUT', `/jobs/${job.id}`, { ...read, priority });
  const hasMoved = answer.status === 400 && /^body\.\w+: can't be edited/.test(answer.json.error);
  if (hasMoved && !wasSettled) return;
  if (judge(job, 'edit', answer)) same(answer.json.priority, priority, 'the priority');
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what} is ${a}, not ${b}`);
}
