import { createHmac } from 'node:crypto';
import type { Automation } from '../../../../lib/automations/automation.ts';
import { AutomationStore } from '../../../../lib/automations/automation-store.ts';
import { type FireContext, fireDue } from '../../../../lib/automations/fire-due.ts';
import { type Delivery, deliverySchema } from '../../../../lib/automations/hooks/delivery-store.ts';
import { receiveAgain, receiveDelivery } from '../../../../lib/automations/receive-delivery.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { HOOK_SECRET_KIND } from '../../../../lib/platform/aws/tables.ts';
import { ModelClient } from '../../model/client.ts';
import { ENV } from '../../model/environment.ts';
import type { Item } from '../../model/expressions.ts';
import type { ModelDeployment } from '../deployment.ts';
import { startProcess, watchOf } from '../workers.ts';

const SECRET = 'whsec_c2VjcmV0IG9mIGEgaG9vaw==';

/** Lambda ends an invocation after so many milliseconds. */
const LONGEST_CALL = 29_000;
/** The pass may take longer. */
const LONGEST_PASS = 300_000;

/** How often a sender that gets no answer sends again. */
const REPEATS = 6;

const HOOKS = ['pushes', 'issues'] as const;

/** A delivery as its sender knows it. */
interface Sent {
  readonly hook: string;
  /** The id that the sender gave it. */
  readonly id: string;
  readonly body: string;
}

/**
 * Senders that post deliveries to hooks, twice at once, again after no answer, and again much later; people who have a
 * delivery evaluated once more; and the minute's pass, which takes up the deliveries of functions that died.
 */
export class ModelHooks {
  readonly #deployment: ModelDeployment;
  readonly #onFault: (fault: string) => void;
  /** What senders and people were answered: the id of the stored delivery, by hook and the sender's id. */
  readonly #acknowledged = new Map<string, string>();
  readonly #sent: Sent[] = [];
  #calls = 0;
  #over = false;

  constructor(deployment: ModelDeployment, onFault: (fault: string) => void) {
    this.#deployment = deployment;
    this.#onFault = onFault;
    for (const id of HOOKS) this.#addHook(id);
  }

  /** Sends until the faults are over. */
  async start(): Promise<void> {
    const { time, faults, random } = this.#deployment;
    void this.#passes();
    while (faults.active) {
      await time.sleep(random.skewed(1_000, 90_000));
      if (!faults.active) return;
      if (this.#sent.length > 0 && random.chance(0.15)) void this.#resend();
      else if (this.#sent.length > 0 && random.chance(0.2)) {
        this.#deployment.tellEvent('delivery posted again');
        void this.#deliver(random.pick(this.#sent));
      } else this.#sendNew();
    }
  }

  /** Ends the passes. */
  stop(): void {
    this.#over = true;
  }

  /** Whether each delivery has its outcome, and each job that follows is there. */
  get areDone(): boolean {
    const isOpen = ({ kind, outcome, firing, delivery }: Item) =>
      firing !== undefined || outcome === 'accepted' || (kind === 'automation-due' && delivery !== undefined);
    return !this.#deployment.registry.all().some(isOpen);
  }

  /** Judges a write of a delivery. */
  onWrite(before: Item | undefined, after: Item | undefined, doing: string): void {
    if (!String((after ?? before)?.kind).startsWith('automation-deliveries#')) return;
    const [was, is] = [before?.outcome, after?.outcome];
    if (is === undefined || was === is) return;
    if (was === undefined) {
      this.#deployment.tellEvent('delivery stored');
      return;
    }
    const isKnown = was === 'accepted' || (was === 'fired' && is === 'failed');
    if (!isKnown) this.#onFault(`delivery ${after?.id}: ${was} became ${is}`);
    this.#deployment.tellEvent(doing === 'watch' ? 'delivery evaluated by the watch' : 'delivery evaluated at once');
    if (is === 'skipped') this.#deployment.tellEvent('delivery skipped');
  }

  /** What is wrong at rest: a delivery id has exactly one delivery, and a delivery that fired exactly one job. */
  faultsAtRest(): string[] {
    const stored = this.#deliveries();
    const jobs = Map.groupBy(
      this.#deployment.allJobs().filter(({ cause }) => cause.kind === 'hook'),
      ({ cause }) => (cause.kind === 'hook' ? cause.delivery : ''),
    );
    const bySender = Map.groupBy(
      stored.filter(({ delivery: { type } }) => type === 'sent'),
      ({ hook, delivery }) => `${hook} ${delivery.sender_id}`,
    );
    const byId = new Map(stored.map(({ delivery }) => [delivery.id, delivery]));
    return [
      ...[...bySender].flatMap(([id, all]) => (all.length === 1 ? [] : [`${id} is stored ${all.length} times`])),
      ...[...this.#acknowledged].flatMap(([of, id]) =>
        byId.has(id) ? [] : [`delivery ${id} of ${of} was acknowledged and is lost`],
      ),
      ...stored.flatMap(({ delivery: { id, outcome, job_id } }) => {
        const made = (jobs.get(id) ?? []).map((job) => job.id);
        const expected = outcome === 'fired' ? [job_id] : [];
        if (outcome === 'accepted') return [`delivery ${id} was not evaluated`];
        return made.join() === expected.join() ? [] : [`delivery ${id} ${outcome}, and its jobs are ${made.join()}`];
      }),
      ...[...jobs.keys()].flatMap((id) => (byId.has(id) ? [] : [`there is a job of ${id}, which is not stored`])),
    ];
  }

  #addHook(id: (typeof HOOKS)[number]): void {
    const { random, time, registry } = this.#deployment;
    const at = timestamp(time.wall);
    const verify =
      id === 'pushes' ? { style: 'header_secret' as const, header: 'x-key' } : { style: 'github' as const };
    const automation: Automation = {
      ...{ id, name: id, made: 'made', project: 'p0', owner: { name: 'token:client' } },
      hook: { verify, ...(id === 'pushes' && { delivery_id: { header: 'x-delivery' } }), drafts: random.chance(0.2) },
      job: { prompt: 'say hello' },
      overlap: random.pick(['skip', 'queue', 'queue'] as const),
      ...{ missed: 'latest', jitter: 0, pause_after_failures: random.pick([0, 0, 5]), enabled: true },
      ...{ jobs: [], failures: 0, created_at: at, updated_at: at, version: 1, edits: 1, change_id: 'first' },
    };
    registry.put({ kind: 'automation', ...automation, job: JSON.stringify(automation.job) }, {});
    registry.put({ kind: HOOK_SECRET_KIND, id: `${id}#made`, secret: SECRET }, {});
  }

  #sendNew(): void {
    const { random } = this.#deployment;
    const n = this.#sent.length;
    const sent = { hook: random.pick(HOOKS), id: `d-${n}`, body: JSON.stringify({ action: 'opened', n }) };
    this.#sent.push(sent);
    void this.#deliver(sent);
    if (random.chance(0.4)) void this.#deliver(sent);
  }

  /** Posts until there is an answer, or the sender gives up. */
  async #deliver(sent: Sent): Promise<void> {
    const { time, random } = this.#deployment;
    const headers = {
      'content-type': 'application/json',
      ...(sent.hook === 'pushes' && { 'x-key': SECRET, 'x-delivery': sent.id }),
      ...(sent.hook === 'issues' && {
        'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(sent.body).digest('hex')}`,
        'x-github-delivery': sent.id,
      }),
    };
    for (let tries = 0; tries < REPEATS; tries += 1) {
      const delivered = { headers, body: Buffer.from(sent.body) };
      const answer = await this.#run('deliver', async (context) => receiveDelivery(context, sent.hook, delivered));
      if (answer !== undefined && 'id' in answer) return this.#acknowledge(`${sent.hook} ${sent.id}`, answer.id);
      await time.sleep(random.skewed(100, 60_000));
    }
  }

  #acknowledge(of: string, id: string): void {
    const known = this.#acknowledged.get(of) ?? id;
    if (known !== id) this.#onFault(`${of} is delivery ${known}, and was answered as ${id}`);
    this.#acknowledged.set(of, id);
  }

  async #resend(): Promise<void> {
    const known = this.#deliveries();
    if (known.length === 0) return;
    const { hook, delivery } = this.#deployment.random.pick(known);
    const id = await this.#run('deliver', async (context) => receiveAgain(context, hook, delivery.id));
    if (id === undefined) return;
    this.#deployment.tellEvent('delivery sent again');
    this.#acknowledge(`${hook} again ${id}`, id);
  }

  async #passes(): Promise<void> {
    const { time, faults } = this.#deployment;
    while (!this.#over) {
      await time.sleep(60_000);
      if (faults.happens('watch missed', 0.2)) continue;
      void this.#run('watch', async (context) => fireDue(context), LONGEST_PASS);
    }
  }

  #deliveries(): { readonly hook: string; readonly delivery: Delivery }[] {
    return this.#deployment.registry.all().flatMap((item) => {
      const [, hook] = /^automation-deliveries#(.*)#made$/.exec(String(item.kind)) ?? [];
      const delivery = deliverySchema.safeParse(item).data;
      return hook === undefined || delivery === undefined ? [] : [{ hook, delivery }];
    });
  }

  /** @returns undefined if the call failed, took too long, or its process died */
  #run<T>(doing: string, run: (context: FireContext) => Promise<T>, longest = LONGEST_CALL): Promise<T | undefined> {
    this.#calls += 1;
    const process = startProcess(this.#deployment, `${doing}-hooks-${this.#calls}`);
    const actor = { id: process.name, doing };
    const { table } = new ModelClient(this.#deployment, process, actor);
    const automations = new AutomationStore({ table, registryTable: ENV.REGISTRY_TABLE, jobsTable: ENV.JOBS_TABLE });
    return new Promise((resolve) => {
      process.onDeath(() => resolve(undefined));
      this.#deployment.time.schedule(() => process.kill(), longest);
      run({ ...watchOf(this.#deployment, process, actor), automations }).then(resolve, () => resolve(undefined));
    });
  }
}
