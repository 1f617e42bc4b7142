import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { effectOf } from '../../../../lib/jobs/lifecycle/effects.ts';
import { PARK_REASONS } from '../../../../lib/jobs/lifecycle/gates.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { leaseIsOver } from '../../../../lib/jobs/lifecycle/lease.ts';
import { leftOf } from '../../rules/deletion-rules.ts';
import type { Answer, ModelApi } from '../api.ts';
import type { ModelDeployment } from '../deployment.ts';
import { nothingAcknowledged } from './acknowledged.ts';
import { Creations } from './creations.ts';
import { Talk } from './talk.ts';

/** What clients do to existing jobs. */
const DOINGS = [
  ...['edit', 'edit', 'cancel', 'cancel', 'kill', 'kill', 'retry', 'retry'],
  ...['submit', 'submit', 'read', 'read', 'reread', 'reread', 'link', 'say', 'say', 'say'],
  ...['answer', 'answer', 'answer', 'answer', 'tree'],
] as readonly (
  | 'tree'
  | 'say'
  | 'answer'
  | 'edit'
  | 'cancel'
  | 'kill'
  | 'retry'
  | 'submit'
  | 'read'
  | 'reread'
  | 'link'
)[];

/** How much of what clients do is to deploy again, where there are bindings. */
const DEPLOYING = 0.08;

/** How much of what clients do is to delete the output of a job. */
const DELETING = 0.04;

/** How much of what clients do is to write or delete a template. */
const CHANGING_TEMPLATES = 0.08;

/** Clients that create jobs, call every action on them, and retry with the same key if they get no answer. */
export class Clients {
  /** How often each job's retry was requested. */
  readonly #retries = new Map<string, number>();
  readonly acknowledged = nothingAcknowledged();
  readonly #deployment: ModelDeployment;
  readonly #api: ModelApi;
  readonly #onFault: (fault: string) => void;
  /** Ids of bindings, by project. */
  readonly #bindings: ReadonlyMap<string, readonly string[]>;
  readonly #creations: Creations;
  readonly #talk: Talk;
  #left: number;
  #keys = 0;
  #running = 0;

  constructor(
    deployment: ModelDeployment,
    api: ModelApi,
    options: {
      jobs: number;
      bindings: ReadonlyMap<string, readonly string[]>;
      onFault: (fault: string) => void;
    },
  ) {
    this.#deployment = deployment;
    this.#api = api;
    this.#left = options.jobs;
    this.#onFault = options.onFault;
    this.#bindings = options.bindings;
    this.#creations = new Creations(deployment, this.acknowledged.ids);
    this.#talk = new Talk(deployment, api, { acknowledged: this.acknowledged, onFault: options.onFault });
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
    const creation = this.#creations.next(key);
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
    if (random.chance(CHANGING_TEMPLATES)) return await this.#changeTemplate();
    const ids = [...this.acknowledged.ids].slice(-15);
    if (ids.length === 0) return;
    if (this.#bindings.size > 0 && random.chance(DEPLOYING)) return await this.#deploy(random.pick(ids));
    if (random.chance(DELETING)) return await this.#deleteOutput();
    const doing = random.pick(DOINGS);
    const id = (doing === 'kill' && random.chance(0.3) && this.#lost()?.id) || random.pick(ids);
    if (doing === 'read') this.#heed(await this.#api.read(id), doing);
    else if (doing === 'answer') await this.#talk.answer();
    else if (doing === 'tree') await this.#endTree(id);
    else if (doing === 'say') await this.#talk.say(id);
    else if (doing === 'link') await this.link();
    else if (doing === 'reread') await this.#reread(id);
    else if (doing === 'retry') {
      const from = random.chance(0.5) ? 'session' : 'start';
      this.#retries.set(id, (this.#retries.get(id) ?? 0) + 1);
      this.#heed(await this.#api.act(id, { type: doing, from }), doing);
    } else if (doing !== 'edit') {
      const retries = this.#retries.get(id);
      const answer = await this.#api.act(id, { type: doing });
      // A retry that came while the answer was on its way has queued the job again.
      if (this.#retries.get(id) === retries) this.#heed(answer, doing);
    } else {
      const prompt = random.chance(0.5) ? { prompt: `say ${random.integer(1, 1_000)}` } : {};
      const priority = random.integer(-2, 2);
      this.#heed(await this.#api.edit(id, { ...prompt, priority }), doing);
    }
  }

  /** Has a binding act again, mostly on a job that has succeeded. */
  async #deploy(known: string): Promise<void> {
    const { random } = this.#deployment;
    const done = this.#deployment.allJobs().filter(({ status }) => status === 'SUCCEEDED');
    const id = done.length > 0 && random.chance(0.8) ? random.pick(done).id : known;
    const bindings = [...this.#bindings.values()].flat();
    const answer = await this.#api.deploy(id, random.pick(bindings));
    if (answer.kind === 'refused' && !['invalid_state', 'not_found'].includes(answer.error.code))
      this.#onFault(`a deployment was refused: ${answer.error.message}`);
  }

  async #changeTemplate(): Promise<void> {
    const answer = await this.#api.changeTemplate(this.#deployment.templates.nextChange());
    if (answer.kind === 'refused' && !['not_found', 'unavailable'].includes(answer.error.code))
      this.#onFault(`a change of a template was refused: ${answer.error.message}`);
    if (answer.kind !== 'answered') return;
    if (answer.value === 'deleted') this.#deployment.tellEvent('template deleted');
    else if (answer.value !== 'unchanged') this.#deployment.tellEvent('template changed');
  }

  /** Mostly of a job that has ended; once that is answered, no byte is left. */
  async #deleteOutput(): Promise<void> {
    const { random } = this.#deployment;
    const ended = this.#deployment.allJobs().filter(({ status, attempt }) => isTerminal(status) && attempt > 0);
    const ids = ended.length > 0 && random.chance(0.9) ? ended.map(({ id }) => id) : [...this.acknowledged.ids];
    const id = random.pick(ids);
    const answer = await this.#api.deleteOutput(id);
    if (answer.kind === 'refused' && answer.error.code === 'invalid_state')
      return this.#deployment.tellEvent('deletion of output refused');
    if (answer.kind === 'refused') this.#onFault(`a deletion of output was refused: ${answer.error.message}`);
    if (answer.kind !== 'answered') return;
    const { job } = answer.value;
    const [left] = leftOf(this.#deployment, job);
    // A worker that was lost may store something between the deletion and its answer. It is deleted later.
    if (left !== undefined && job.lost_attempts === undefined)
      this.#onFault(`the output of ${this.#deployment.nameOf(id)} was deleted, and ${left} is left`);
  }

  /** Ends a job with its descendants; mostly one that has some, and now and then one of these with its own. */
  async #endTree(known: string): Promise<void> {
    const { random } = this.#deployment;
    const jobs = this.#deployment.allJobs();
    const pending = jobs.find((job) => effectOf(job, 'follow_ups') !== undefined)?.id;
    const parent = jobs.findLast(({ ancestors }) => ancestors !== undefined)?.ancestors?.at(-1)?.id;
    const id = (random.chance(0.8) ? (pending ?? parent) : undefined) ?? known;
    const answered = this.#deployment.trees.asked(id);
    const answer = await this.#api.endTree(id, random.chance(0.5) ? 'cancel' : 'kill');
    if (answer.kind === 'refused') this.#onFault(`a tree was not cancelled: ${answer.error.message}`);
    if (answer.kind === 'answered') answered();
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
      jobs.find((job) => effectOf(job, 'follow_ups') !== undefined) ??
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
