import type { JobCreation } from '../../../lib/contract/schemas/jobs/job-creation.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { leaseIsOver } from '../../../lib/jobs/lifecycle/lease.ts';
import { PARK_REASONS } from '../../../lib/jobs/lifecycle/parking.ts';
import { PROFILES } from '../rules/account-rules.ts';
import type { Answer, ModelApi } from './api.ts';
import type { ModelDeployment } from './deployment.ts';
import { type AcknowledgedAnswer, SECRET } from './questions.ts';

/** The responses that the clients of a world received, and so may rely on. */
export interface Acknowledged {
  readonly ids: Set<string>;
  readonly idOfKey: Map<string, string>;
  /** Ids of messages, by job and key. */
  readonly messages: Map<string, string>;
  /** By question. */
  readonly answers: Map<string, AcknowledgedAnswer>;
}

/** The projects of a world. */
export const PROJECTS = ['p1', 'p2'] as const;

/** How many of the jobs continue another one. */
const CONTINUED = 0.35;

/** How many of the others fork one. */
const FORKED = 0.2;

/** What clients do to existing jobs. */
const DOINGS = [
  ...['edit', 'edit', 'cancel', 'cancel', 'kill', 'kill', 'retry', 'retry'],
  ...['submit', 'submit', 'read', 'read', 'reread', 'reread', 'link', 'say', 'say', 'say'],
  ...['answer', 'answer', 'answer', 'answer'],
] as readonly ('say' | 'answer' | 'edit' | 'cancel' | 'kill' | 'retry' | 'submit' | 'read' | 'reread' | 'link')[];

/** Clients that create jobs, call every action on them, and retry with the same key if they get no answer. */
export class Clients {
  readonly acknowledged: Acknowledged = {
    ...{ ids: new Set(), idOfKey: new Map() },
    ...{ messages: new Map(), answers: new Map() },
  };
  readonly #deployment: ModelDeployment;
  readonly #api: ModelApi;
  readonly #onFault: (fault: string) => void;
  #left: number;
  #keys = 0;
  #answers = 0;
  #running = 0;
  /** The job that was forked last. */
  #forked: string | undefined;

  constructor(deployment: ModelDeployment, api: ModelApi, options: { jobs: number; onFault: (fault: string) => void }) {
    this.#deployment = deployment;
    this.#api = api;
    this.#left = options.jobs;
    this.#onFault = options.onFault;
  }

  get done(): boolean {
    return this.#running === 0;
  }

  /** One more client, which creates jobs until none are left to be created. */
  async start(longestPause: number): Promise<void> {
    const { random, time } = this.#deployment;
    this.#running += 1;
    while (this.#left > 0) {
      await time.sleep(random.skewed(5, longestPause));
      if (random.chance(0.45)) {
        this.#left -= 1;
        await this.#create();
      } else await this.#meddle();
    }
    this.#running -= 1;
  }

  /** Unparks jobs, as linking an account does. */
  async link(): Promise<void> {
    for (const reason of PARK_REASONS) {
      const { kind } = await this.#api.link(reason);
      if (kind === 'answered') this.#deployment.tellEvent('account linked');
    }
  }

  async #create(): Promise<void> {
    const { random, time } = this.#deployment;
    const key = random.chance(0.5) ? `key ${this.#nextKey()}` : undefined;
    const creation = this.#creation(key);
    const twice = key !== undefined && random.chance(0.2);
    const heed = (answer: Answer<{ id: string; replayed: boolean }>) => {
      if (answer.kind === 'answered') this.#created(answer.value.id, key);
      if (answer.kind === 'answered' && answer.value.replayed) this.#deployment.tellEvent('key answered again');
      return answer.kind === 'answered';
    };
    const first = this.#api.create(creation).then(heed);
    const second = twice ? this.#api.create(creation).then(heed) : first;
    if ((await first) && (await second)) return;
    for (let tries = 0; key !== undefined && tries < 8; tries += 1) {
      await time.sleep(random.skewed(100, 20_000));
      if (heed(await this.#api.create(creation))) return;
    }
  }

  #nextKey(): number {
    if (this.#keys === 0 || this.#deployment.random.chance(0.9)) this.#keys += 1;
    return this.#keys;
  }

  #creation(key: string | undefined): JobCreation {
    const { random } = this.#deployment;
    // Turns of a thread that is being copied wait for the copy.
    const copied = random.chance(0.7) ? this.#forked : undefined;
    this.#forked = undefined;
    const continued =
      copied ?? (random.chance(CONTINUED) ? [...this.acknowledged.ids].at(-random.integer(1, 6)) : undefined);
    if (continued !== undefined) return this.#continuation(continued, key);
    const forked = random.chance(FORKED) ? this.#forkable() : undefined;
    this.#forked = forked;
    if (forked !== undefined)
      return { prompt: 'say it differently', fork: forked, ...(key !== undefined && { idempotency_key: key }) };
    return {
      prompt: `say ${random.integer(1, 1_000)}`,
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
    return (random.chance(0.8) ? done.map(({ id }) => id) : [...this.acknowledged.ids]).at(-random.integer(1, 4));
  }

  #continuation(id: string, key: string | undefined): JobCreation {
    const { random } = this.#deployment;
    return {
      prompt: `say ${random.integer(1, 1_000)}`,
      continue: id,
      priority: random.integer(-2, 2),
      retries: random.pick([0, 0, 1]),
      ...(random.chance(0.3) && { continue_after: 'any' as const }),
      ...(random.chance(0.1) && { draft: true }),
      ...(key !== undefined && { idempotency_key: key }),
    };
  }

  #created(id: string, key: string | undefined): void {
    const { ids, idOfKey } = this.acknowledged;
    if (key !== undefined && (idOfKey.get(key) ?? id) !== id) this.#onFault(`one key gave two jobs: ${key}`);
    if (key !== undefined) idOfKey.set(key, id);
    ids.add(id);
    if (this.#deployment.jobs.get({ id }, true) === undefined)
      this.#onFault(`${this.#deployment.nameOf(id)} was acknowledged and is not there`);
  }

  async #meddle(): Promise<void> {
    const { random } = this.#deployment;
    const ids = [...this.acknowledged.ids].slice(-15);
    if (ids.length === 0) return;
    const doing = random.pick(DOINGS);
    const id = (doing === 'kill' && random.chance(0.3) && this.#lost()?.id) || random.pick(ids);
    if (doing === 'read') this.#heed(await this.#api.read(id), doing);
    else if (doing === 'answer') await this.#answer();
    else if (doing === 'say') await this.#say(this.#newestRunning() ?? id);
    else if (doing === 'link') await this.link();
    else if (doing === 'reread') await this.#reread(id);
    else if (doing === 'retry') {
      const from = random.chance(0.5) ? 'session' : 'start';
      this.#heed(await this.#api.act(id, { type: doing, from }), doing);
    } else if (doing !== 'edit') this.#heed(await this.#api.act(id, { type: doing }), doing);
    else {
      const prompt = random.chance(0.5) ? { prompt: `say ${random.integer(1, 1_000)}` } : {};
      const priority = random.integer(-2, 2);
      this.#heed(await this.#api.edit(id, { ...prompt, priority }), doing);
    }
  }

  /** Mostly a job that reads messages. */
  #newestRunning(): string | undefined {
    if (this.#deployment.random.chance(0.3)) return undefined;
    return this.#deployment.allJobs().findLast(({ status }) => status === 'RUNNING')?.id;
  }

  /** Sends a message, sometimes twice, and again until it is answered. */
  async #say(id: string): Promise<void> {
    const { random, time } = this.#deployment;
    const key = `message ${random.integer(1, 3)}`;
    const name = `${id} ${key}`;
    const { messages } = this.acknowledged;
    for (let tries = 0; tries < 4; tries += 1) {
      const [answer] = await Promise.all([this.#api.say(id, key), random.chance(0.2) && this.#api.say(id, key)]);
      if (answer.kind === 'answered') {
        if ((messages.get(name) ?? answer.value.id) !== answer.value.id) this.#onFault('one key gave two messages');
        messages.set(name, answer.value.id);
      }
      if (answer.kind !== 'unknown') return;
      await time.sleep(random.skewed(100, 10_000));
    }
  }

  /** Answers a question as the list shows it, sometimes twice, and again until the response is known. */
  async #answer(): Promise<void> {
    const { random, time } = this.#deployment;
    const asking = this.#deployment.allJobs().filter(({ question }) => question?.state === 'open');
    const { id, question } = asking[random.integer(0, asking.length - 1)] ?? {};
    if (id === undefined || question === undefined) return;
    const answer = async () => {
      this.#answers += 1;
      const secret = this.#answers % 3 === 0 ? ` with ${SECRET}` : '';
      const text = `answer ${this.#answers} to ${question.id}${secret}.`;
      const response = await this.#api.answer(id, question.id, text);
      if (response.kind === 'answered') this.#answered(id, question.id, text);
      if (response.kind === 'refused' && response.error.code !== 'invalid_state')
        this.#onFault(`an answer was refused: ${response.error.message}`);
      return response.kind;
    };
    for (let tries = 0; tries < 4; tries += 1) {
      const [first] = await Promise.all([answer(), random.chance(0.2) && answer()]);
      if (first !== 'unknown') return;
      await time.sleep(random.skewed(100, 10_000));
    }
  }

  #answered(job: string, question: string, text: string): void {
    const { answers } = this.acknowledged;
    if (answers.has(question)) this.#onFault(`question ${question} was answered twice`);
    answers.set(question, { job, text });
  }

  /** A job whose worker seems to be dead. */
  #lost(): Job | undefined {
    const now = new Date(this.#deployment.time.wall).toISOString();
    return this.#deployment.allJobs().find((job) => leaseIsOver(job, now));
  }

  /** Mostly of a job that seems to be stuck, which is when people do it. */
  async #reread(id: string): Promise<void> {
    const jobs = this.#deployment.random.chance(0.7) ? this.#deployment.allJobs() : [];
    const stuck =
      (jobs.length > 0 ? this.#lost() : undefined) ??
      jobs.find((job) => job.children_pending !== undefined) ??
      jobs.find((job) => job.reason === 'worker_lost');
    const answer = await this.#api.reread(stuck?.id ?? id);
    if (answer.kind === 'refused') this.#onFault(`a reread was refused: ${answer.error.message}`);
    if (answer.kind !== 'answered') return;
    this.#deployment.tellEvent('reread');
    if (answer.value.recoveredFollowUpIds.length > 0) this.#deployment.tellEvent('follow-ups recovered by a reread');
  }

  #heed(answer: Answer<Job>, doing: string): void {
    // Another turn of the thread is about to start.
    const isBusy = answer.kind === 'refused' && doing === 'retry' && answer.error.code === 'unavailable';
    if (answer.kind === 'refused' && !isBusy && answer.error.code !== 'invalid_state')
      this.#onFault(`${doing} of an acknowledged job was refused: ${answer.error.message}`);
    if (answer.kind !== 'answered' || !['cancel', 'kill'].includes(doing)) return;
    const { status, cancel_requested_at: asked } = answer.value;
    if (status !== 'CANCELLED' && (status !== 'RUNNING' || asked === undefined))
      this.#onFault(`${doing} was answered with ${status} and no request`);
  }
}
