import { AutomationStore } from '../../../lib/automations/automation-store.ts';
import { fireDue } from '../../../lib/automations/fire-due.ts';
import { runNow } from '../../../lib/automations/run-now.ts';
import { createAutomation, editAutomation } from '../../../lib/automations/write-automation.ts';
import { isTerminal } from '../../../lib/contract/statuses.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { ModelClient } from '../model/client.ts';
import { ENV } from '../model/environment.ts';
import { Faults } from '../model/faults.ts';
import { inWorld } from '../model/seeded-process.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import { VirtualTime } from '../model/virtual-time.ts';
import { SeededRandom } from '../seeded-random.ts';
import { ModelDeployment } from '../worlds/deployment.ts';
import { startProcess, watchOf } from '../worlds/workers.ts';
import { ScheduleRules } from './schedule-rules.ts';

const MINUTE = 60_000;

/** The longest that no pass runs. */
const LONGEST_GAP = 60;

/** Lambda ends an invocation after so many milliseconds. */
const LONGEST_PASS = 5 * MINUTE;

const LAST_PASSES = 10;

const CRONS = ['* * * * *', '*/5 * * * *', '7,22 * * * *', '0 * * * *', '*/3 8-20 * * *'];

/** What became of one world. */
export interface ScheduleReport {
  readonly seed: number;
  readonly instants: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

/**
 * Automations whose minute's pass is killed, doubled, missed and late by up to an hour, on machines with wrong clocks,
 * while clients change them and run them by hand. Jobs end without a worker.
 */
export class ScheduleWorld {
  readonly #seed: number;
  readonly #time = new VirtualTime();
  readonly #random: SeededRandom;
  readonly #faults: Faults;
  readonly #deployment: ModelDeployment;
  readonly #rules = new ScheduleRules((fault) => this.#violated(fault));
  readonly #violations: string[] = [];
  readonly #ids: string[] = [];
  #ending = false;
  #processes = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    this.#faults = new Faults(this.#random);
    this.#deployment = new ModelDeployment(
      { time: this.#time, random: this.#random, faults: this.#faults },
      // What ends the jobs is no worker, as the rules of jobs expect.
      { onFault: (fault) => this.#ending || this.#violated(fault) },
    );
    this.#deployment.onRegistryWrite = (before, after) => this.#rules.onWrite(before, after);
  }

  /** @param hours of virtual time */
  async run(hours: number): Promise<ScheduleReport> {
    return await inWorld({ seed: this.#seed, time: this.#time }, async () => await this.#run(hours));
  }

  async #run(hours: number): Promise<ScheduleReport> {
    const count = this.#random.integer(4, 12);
    for (let n = 0; n < count; n += 1) void this.#as('run automation', (context) => this.#create(context, n));
    void this.#passes();
    void this.#clients();
    await this.#time.run(() => this.#time.now >= hours * 60 * MINUTE || this.#violations.length > 0);
    this.#faults.end(this.#time.now);
    let isOver = false;
    void this.#lastPasses().then(() => {
      isOver = true;
    });
    await this.#time.run(() => isOver);
    if (this.#violations.length === 0) this.#judge();
    const { instants, outcomes } = this.#rules;
    return { seed: this.#seed, instants, outcomes, violations: this.#violations };
  }

  async #create(context: ReturnType<ScheduleWorld['contextOf']>, n: number): Promise<void> {
    const random = this.#random;
    const schedule = random.chance(0.3)
      ? { every: `${random.pick([1, 2, 7, 30])}m` }
      : { cron: random.pick(CRONS), timezone: random.pick(['UTC', 'Australia/Lord_Howe']) };
    const creation = {
      name: `a${n}`,
      trigger: { schedule },
      job: { prompt: 'say {{due_at}}' },
      overlap: random.pick(['skip', 'queue', 'replace'] as const),
      missed: random.pick(['skip', 'latest', 'all'] as const),
      jitter: random.pick([0, 0, 30, 600]),
      pause_after_failures: random.pick([0, 2, 20]),
    };
    const { id } = await createAutomation(context, creation, { owner: { name: 'token:t' }, dryRun: false });
    this.#ids.push(id);
  }

  async #passes(): Promise<void> {
    const { random } = this.#deployment;
    while (this.#faults.active) {
      const gap = this.#faults.happens('watch missed', 0.02) ? random.integer(2, LONGEST_GAP) : 1;
      await this.#time.sleep(gap * MINUTE);
      const passes = random.chance(0.1) ? 2 : 1;
      for (let n = 0; n < passes; n += 1) void this.#as('watch', async (context) => void (await fireDue(context)));
    }
  }

  /** After the end of all earlier passes, as many as decide about all that is due: each has a limited time. */
  async #lastPasses(): Promise<void> {
    await this.#time.sleep(LONGEST_PASS);
    for (let n = 0; n < LAST_PASSES; n += 1) await this.#as('watch', async (context) => void (await fireDue(context)));
  }

  /** Clients change automations and run them; jobs end. */
  async #clients(): Promise<void> {
    const random = this.#random;
    while (this.#faults.active) {
      await this.#time.sleep(random.skewed(5_000, 30 * MINUTE));
      this.#endSomeJobs();
      const id = this.#ids.length === 0 ? undefined : random.pick(this.#ids);
      if (id === undefined || random.chance(0.5)) continue;
      const edit = random.pick([
        { enabled: true },
        { enabled: true },
        { enabled: false },
        { overlap: 'queue' as const },
        { trigger: { schedule: { cron: random.pick(CRONS) } } },
        'run' as const,
      ]);
      void this.#as('run automation', async (context) => {
        if (edit === 'run') await runNow(context, id);
        else await editAutomation(context, id, edit, { owner: { name: 'token:t' }, dryRun: false });
      });
    }
  }

  #endSomeJobs(): void {
    this.#ending = true;
    for (const job of this.#deployment.allJobs()) {
      if (isTerminal(job.status) || !this.#random.chance(0.6)) continue;
      const status = this.#random.pick(['SUCCEEDED', 'SUCCEEDED', 'FAILED'] as const);
      const ended = { ...job, status, reason: 'exited', finished_at: new Date(this.#time.wall).toISOString() };
      this.#deployment.jobs.put({ ...ended, version: job.version + 1 }, {});
    }
    this.#ending = false;
  }

  contextOf(process: SimulatedProcess, doing: string) {
    const actor = { id: process.name, doing };
    const { table } = new ModelClient(this.#deployment, process, actor);
    const automations = new AutomationStore({ table, registryTable: ENV.REGISTRY_TABLE, jobsTable: ENV.JOBS_TABLE });
    return { ...watchOf(this.#deployment, process, actor), automations };
  }

  /** Runs something in a process that may die. */
  #as(
    doing: 'run automation' | 'watch',
    run: (context: ReturnType<ScheduleWorld['contextOf']>) => Promise<void>,
  ): Promise<void> {
    this.#processes += 1;
    const process = startProcess(this.#deployment, `${doing}-${this.#processes}`);
    return new Promise((resolve) => {
      process.onDeath(resolve);
      this.#time.schedule(() => process.kill(), LONGEST_PASS);
      run(this.contextOf(process, doing)).then(resolve, () => resolve());
    });
  }

  /** At rest: nothing is undecided, and each run that fired has exactly its job. */
  #judge(): void {
    this.#rules.expectNothingOpen();
    const now = new Date(this.#time.wall - 11 * MINUTE).toISOString();
    const jobs = new Map(this.#deployment.allJobs().map((job) => [job.id, job]));
    const fired = new Set<string>();
    for (const item of this.#deployment.registry.all()) {
      if (item.kind === 'automation' && String(item.next_due ?? '9') < now)
        this.#violated(`${item.id}: ${item.next_due} was not decided`);
      if (item.kind === 'automation' && item.firing !== undefined)
        this.#violated(`${item.id}: its job was not created`);
      if (!String(item.kind).startsWith('automation-runs#') || item.outcome !== 'fired') continue;
      const job: Job | undefined = jobs.get(String(item.job_id));
      if (job?.cause.kind !== 'schedule') this.#violated(`${item.kind} ${item.due}: its job is not there`);
      else if (!job.cause.due.startsWith(String(item.due))) this.#violated(`${item.due}: has another job`);
      if (fired.has(String(item.job_id))) this.#violated(`${item.job_id} is of two runs`);
      fired.add(String(item.job_id));
    }
    for (const id of jobs.keys()) if (!fired.has(id)) this.#violated(`${id} is of no run`);
  }

  #violated(fault: string): void {
    this.#violations.push(fault);
  }
}
