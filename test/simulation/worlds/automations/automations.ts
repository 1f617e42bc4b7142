import { AutomationStore } from '../../../../lib/automations/automation-store.ts';
import { runNow } from '../../../../lib/automations/run-now.ts';
import { createAutomation, deleteAutomation, editAutomation } from '../../../../lib/automations/write-automation.ts';
import { ApiError } from '../../../../lib/contract/errors.ts';
import type { AutomationCreation } from '../../../../lib/contract/schemas/automation.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { PRINCIPAL_KINDS } from '../../../../lib/platform/aws/tables.ts';
import { type Actor, ModelClient } from '../../model/client.ts';
import { ENV } from '../../model/environment.ts';
import type { Item } from '../../model/expressions.ts';
import { PROFILES } from '../../rules/account-rules.ts';
import { AutomationRules } from '../../rules/automation-rules.ts';
import type { ModelDeployment } from '../deployment.ts';
import { startProcess, watchOf } from '../workers.ts';

const SCHEDULES = [
  { every: '1m' },
  { every: '7m' },
  { cron: '* * * * *' },
  { cron: '*/2 * * * *' },
  { cron: '1,31 * * * *', timezone: 'Australia/Lord_Howe' },
] as const;

/** Automations of a world. */
const MOST = 4;

/** How much of what clients do to automations is to delete one. */
const DELETING = 0.04;

/** How much of it is to revoke the token of an owner. */
const REVOKING = 0.15;

type Context = ReturnType<ModelAutomations['contextOf']>;

/** Clients who make, change, run and delete automations beside all else; the reconciler of the world fires them. */
export class ModelAutomations {
  readonly #deployment: ModelDeployment;
  readonly #rules: AutomationRules;
  /** Tokens of owners that work. */
  readonly #tokens: string[] = [];
  #calls = 0;
  #isOver = false;

  constructor(deployment: ModelDeployment, onFault: (fault: string) => void) {
    this.#deployment = deployment;
    this.#rules = new AutomationRules(deployment, onFault);
  }

  /** Makes automations, and changes them until the faults are over. */
  async start(): Promise<void> {
    const { time, faults, random } = this.#deployment;
    const count = random.integer(1, MOST);
    for (let n = 0; n < count; n += 1) void this.#create(`automation ${n}`);
    while (faults.active) {
      await time.sleep(random.skewed(10_000, 600_000));
      if (faults.active) this.#change(count);
    }
    await this.#end();
  }

  /** Whether none is due again. */
  get areDone(): boolean {
    return this.#isOver && this.#items().every(({ firing }) => firing === undefined);
  }

  onWrite(before: Item | undefined, after: Item | undefined, actor: Actor): void {
    this.#rules.onWrite(before, after, actor);
  }

  faultOfJob(before: Job | undefined, after: Job): string | undefined {
    return this.#rules.faultOf(before, after);
  }

  faultsAtRest(): string[] {
    return this.#rules.faultsAtRest();
  }

  async #create(name: string): Promise<void> {
    const { random } = this.#deployment;
    const creation: AutomationCreation = {
      name,
      trigger: { schedule: random.pick(SCHEDULES) },
      project: random.pick(['p1', 'p2']),
      job: {
        prompt: 'say {{due_at}}',
        retries: random.pick([0, 0, 2]),
        profile: random.pick(PROFILES),
        ...(random.chance(0.3) && { cwd: 'a' }),
      },
      overlap: random.pick(['skip', 'queue', 'replace'] as const),
      missed: random.pick(['skip', 'latest', 'all'] as const),
      jitter: random.pick([0, 0, 60]),
      pause_after_failures: random.pick([0, 1, 2, 5]),
    };
    const owner = this.#owner();
    await this.#run(async (context) => await createAutomation(context, creation, { owner, dryRun: false }));
  }

  #change(count: number): void {
    const { random } = this.#deployment;
    const token = this.#tokens.at(-1);
    if (token !== undefined && random.chance(REVOKING)) this.#revoke(token);
    const id = `automation ${random.integer(0, count - 1)}`;
    if (random.chance(DELETING)) {
      void this.#run(async (context) => await deleteAutomation(context, id)).then(() => this.#create(id));
      return;
    }
    const edit = random.pick([{ enabled: true }, { enabled: true }, { enabled: false }, 'run', 'run'] as const);
    const owner = this.#owner();
    void this.#run(async (context) => {
      if (edit === 'run') await runNow(context, id);
      else await editAutomation(context, id, edit, { owner, dryRun: false });
    });
  }

  /** The caller of a change: a person, or a token that works. */
  #owner(): { name: string; token_id?: string } {
    const { random, registry } = this.#deployment;
    if (random.chance(0.5)) return { name: 'user:ada' };
    if (this.#tokens.length === 0) {
      const id = `token${this.#calls}`;
      registry.put({ kind: PRINCIPAL_KINDS.token, id, state: 'active' }, {});
      this.#tokens.push(id);
    }
    return { name: 'token:ci', token_id: random.pick(this.#tokens) };
  }

  #revoke(id: string): void {
    this.#tokens.pop();
    this.#deployment.registry.put({ kind: PRINCIPAL_KINDS.token, id, state: 'revoked' }, {});
    this.#rules.onRevocation(id);
  }

  /** Disables all of them, so that the world comes to rest. */
  async #end(): Promise<void> {
    const owner = { name: 'user:ada' };
    const enabled = () => this.#items().filter(({ enabled }) => enabled === true);
    // Creations that are late may come in between.
    for (let rounds = 0; rounds < 3; rounds += 1) {
      for (const { id } of enabled())
        await this.#run(async (context) => {
          await editAutomation(context, String(id), { enabled: false }, { owner, dryRun: false });
        });
      await this.#deployment.time.sleep(300_000);
    }
    this.#isOver = enabled().length === 0;
    if (!this.#isOver) await this.#end();
  }

  #items(): Item[] {
    return this.#deployment.registry.all().filter(({ kind }) => kind === 'automation');
  }

  /** A call of the API in a separate process, which may die. */
  #run(call: (context: Context) => Promise<unknown>): Promise<void> {
    this.#calls += 1;
    const process = startProcess(this.#deployment, `automations-${this.#calls}`);
    return new Promise((resolve) => {
      process.onDeath(resolve);
      call(this.contextOf(process)).then(
        () => resolve(),
        (error: unknown) => {
          if (error instanceof TypeError || (error instanceof ApiError && error.code === 'internal_error'))
            this.#deployment.tellFault(`a change of an automation failed: ${error.message}`);
          resolve();
        },
      );
    });
  }

  contextOf(process: Parameters<typeof watchOf>[1]) {
    const actor = { id: process.name, doing: 'run automation' };
    const { table } = new ModelClient(this.#deployment, process, actor);
    const automations = new AutomationStore({ table, registryTable: ENV.REGISTRY_TABLE, jobsTable: ENV.JOBS_TABLE });
    return { ...watchOf(this.#deployment, process, actor), automations };
  }
}
