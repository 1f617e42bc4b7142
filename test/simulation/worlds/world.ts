import { PARK_REASONS } from '../../../lib/jobs/lifecycle/gates.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { ModelClient } from '../model/client.ts';
import { ENV } from '../model/environment.ts';
import type { EventCounts } from '../model/events.ts';
import { type FaultCounts, Faults } from '../model/faults.ts';
import { inWorld } from '../model/seeded-process.ts';
import { VirtualTime } from '../model/virtual-time.ts';
import { AccountRules, PROFILES } from '../rules/account-rules.ts';
import { DeploymentRules } from '../rules/deployment-rules.ts';
import { faultOfEffects } from '../rules/effect-rules.ts';
import { besides, type FolderWorld } from '../rules/folder-rules.ts';
import { OrderRules } from '../rules/order-rules.ts';
import { ProfileRules } from '../rules/profile-rules.ts';
import { faultOfThread } from '../rules/thread-rules.ts';
import { SeededRandom } from '../seeded-random.ts';
import { ModelAgents } from './agent.ts';
import { ModelApi } from './api.ts';
import { ModelAutomations } from './automations/automations.ts';
import { ModelEventAutomations } from './automations/event-automations.ts';
import { ModelHooks } from './automations/hooks.ts';
import { Clients } from './clients/clients.ts';
import { ModelDeployment } from './deployment.ts';
import { addBindings } from './deployments/bindings.ts';
import { ModelCommands } from './deployments/commands.ts';
import { ModelExports } from './exports.ts';
import { SHARDS } from './job-stream.ts';
import { addLaterJobs } from './later-jobs.ts';
import { areAtRest, ENDED_AFTER, faultsAtRest } from './quiescence.ts';
import { ModelTriggers } from './triggers.ts';
import { ModelWorkers, startProcess } from './workers.ts';

/** The project that gives each folder to one job at a time. */
const EXCLUSIVE = 'p1';

/** Every which world holds jobs of a later version: each pass reads them all again, so they cost most of a world's time. */
const LATER_JOBS_EVERY = 4;

/** Every which world exports its jobs, which reads all of them, and has automations that events start. */
const EXPORTS_EVERY = 3;

/** Every which world has automations with a schedule. */
const AUTOMATIONS_EVERY = 3;

/** The other worlds of these have hooks. */
const HOOKS_AT = EXPORTS_EVERY - 1;

/** What became of one world. */
export interface WorldReport {
  readonly seed: number;
  /** Jobs that were made. */
  readonly lives: number;
  readonly attempts: number;
  /** Lives by the state that they ended in. */
  readonly ends: Readonly<Record<string, number>>;
  /** By the command's name. */
  readonly calls: Readonly<Record<string, number>>;
  readonly events: EventCounts;
  readonly faults: FaultCounts;
  readonly violations: readonly string[];
  /** Virtual milliseconds. */
  readonly lasted: number;
}

/** Milliseconds that everything has to come to rest once the faults are over: more than the longest backoffs of a job. */
const SETTLING = 2 * 3_600_000;

/** One deployment with its clients, workers and faults, all of which follow from the seed. */
export class World {
  readonly #seed: number;
  readonly #time = new VirtualTime();
  readonly #random: SeededRandom;
  readonly #faults: Faults;
  readonly #deployment: ModelDeployment;
  readonly #agents: ModelAgents;
  readonly #commands: ModelCommands;
  readonly #bindings: ReadonlyMap<string, readonly string[]>;
  readonly #deployments: DeploymentRules;
  readonly #exports: ModelExports | undefined;
  readonly #automations: ModelAutomations | ModelEventAutomations | undefined;
  readonly #hooks: ModelHooks | undefined;
  readonly #violations: string[] = [];

  constructor(seed: number, trace?: (line: string) => void) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    this.#faults = new Faults(this.#random);
    const write = trace && ((line: string) => trace(`${(this.#time.now / 1000).toFixed(3).padStart(10)} ${line}`));
    this.#deployment = new ModelDeployment(
      { time: this.#time, random: this.#random, faults: this.#faults },
      { onFault: (fault) => this.#violated(fault), trace: write },
    );
    this.#agents = new ModelAgents(this.#deployment);
    // Of its jobs with one and the same cwd only one may run at a time.
    const project = { kind: 'project', id: EXCLUSIVE, name: EXCLUSIVE, created_at: new Date(0).toISOString() };
    this.#deployment.registry.put({ ...project, settings: { exclusive_cwd: true } }, {});
    if (seed % LATER_JOBS_EVERY === 0) addLaterJobs(this.#deployment);
    this.#bindings = addBindings(this.#deployment, seed);
    this.#commands = new ModelCommands(this.#deployment, this.#agents.forks, this.#folders);
    this.#agents.forks.onCopy = (source) => this.#expectNoCommands(source, 'it is copied');
    this.#deployments = new DeploymentRules(this.#deployment, { commands: this.#commands, bindings: this.#bindings });
    if (seed % EXPORTS_EVERY === 0) {
      this.#exports = new ModelExports(this.#deployment, (fault) => this.#violated(fault));
      this.#automations = new ModelEventAutomations(this.#deployment, (fault) => this.#violated(fault));
    }
    if (seed % EXPORTS_EVERY === HOOKS_AT)
      this.#hooks = new ModelHooks(this.#deployment, (fault) => this.#violated(fault));
    if (seed % AUTOMATIONS_EVERY === 1)
      this.#automations = new ModelAutomations(this.#deployment, (fault) => this.#violated(fault));
    this.#deployment.onRegistryWrite = (before, after, actor) => {
      this.#deployments.onWrite(before, after, actor);
      this.#exports?.onWrite(before, after);
      this.#automations?.onWrite(before, after, actor);
      this.#hooks?.onWrite(before, after, actor.doing);
    };
    const accounts = new AccountRules();
    const profiles = new ProfileRules(this.#deployment);
    const order = new OrderRules(this.#deployment);
    this.#deployment.onJobWrite = (before, after, actor) => {
      if (after.cause.kind === 'system') return this.#deployments.onSystemJob(before, after);
      this.#exports?.onJobWrite(before, after);
      const fault =
        accounts.faultOf(before, after, actor) ??
        profiles.faultOf(before, after) ??
        this.#deployment.trees.faultOf(before, after) ??
        this.#deployment.templates.faultOfCreation(before, after) ??
        this.#deployments.faultOfMark(before, after, actor) ??
        faultOfEffects(before, after, actor) ??
        this.#automations?.faultOfJob(before, after) ??
        (this.#faults.weather === 'orderly' ? order.faultOf(before, after) : undefined) ??
        faultOfThread(before, after, () => this.#deployment.allJobs());
      if (fault !== undefined) this.#violated(`${this.#deployment.nameOf(after.id)}: ${fault}`);
      if (after.status === 'RUNNING' && before?.status !== 'RUNNING') {
        this.#expectFolderOfItsOwn(after);
        this.#expectNoCommands(after, 'it runs');
        const unfinished = this.#agents.forks.faultOfStart(after);
        if (unfinished !== undefined) this.#violated(`${this.#deployment.nameOf(after.id)}: ${unfinished}`);
      }
      if (before?.status !== 'RUNNING') return;
      const withdrawal = this.#agents.questions.faultOfWithdrawal(before, after);
      if (withdrawal !== undefined) this.#violated(`${this.#deployment.nameOf(after.id)}: ${withdrawal}`);
      if (this.#faults.weather === 'orderly' && after.losses !== before.losses)
        this.#violated(`${this.#deployment.nameOf(after.id)}: a worker was lost although nobody died`);
      const isAsked = before.cancel_requested_at === undefined && after.cancel_requested_at !== undefined;
      if (isAsked || after.status !== 'RUNNING' || after.attempt !== before.attempt)
        this.#expectEnd(before.id, before.attempt);
    };
  }

  async run(): Promise<WorldReport> {
    return await inWorld({ seed: this.#seed, time: this.#time }, async () => await this.#run());
  }

  async #run(): Promise<WorldReport> {
    const random = this.#random;
    const api = new ModelApi(this.#deployment);
    const jobs = random.integer(20, 120);
    const clients = new Clients(this.#deployment, api, {
      ...{ jobs, bindings: this.#bindings },
      onFault: (fault) => this.#violated(fault),
    });
    const workers = new ModelWorkers(
      this.#deployment,
      { agents: this.#agents, commands: this.#commands },
      random.integer(1, 3),
    );
    const triggers = new ModelTriggers(this.#deployment);
    const pace = random.pick([200, 3_000, 20_000]);
    for (let count = random.integer(1, 4); count > 0; count -= 1) workers.start();
    for (let count = random.integer(2, 5); count > 0; count -= 1) void clients.start(pace);
    void triggers.watchEveryMinute();
    void this.#exports?.start();
    void this.#automations?.start();
    void this.#hooks?.start();
    for (let shard = 0; shard < SHARDS; shard += 1) void triggers.countShard(shard);
    void this.#trouble(workers, triggers);
    await this.#until(() => clients.done);
    await this.#until(() => false, random.skewed(1_000, 900_000));
    this.#faults.end(this.#time.now);
    await this.#settle(clients, triggers);
    const lives = this.#deployment.allJobs();
    const ends: Record<string, number> = {};
    for (const { status } of lives) ends[status] = (ends[status] ?? 0) + 1;
    return {
      seed: this.#seed,
      lives: lives.length,
      ends,
      attempts: lives.reduce((sum, { attempt }) => sum + attempt, 0),
      calls: this.#deployment.calls,
      events: this.#deployment.events,
      faults: this.#faults.counts,
      violations: this.#violations,
      lasted: this.#time.now,
    };
  }

  async #settle(clients: Clients, triggers: ModelTriggers): Promise<void> {
    const end = this.#time.now + SETTLING;
    const isAtRestNow = () =>
      this.#agents.live.size === 0 &&
      this.#commands.live.size === 0 &&
      this.#exports?.areDone !== false &&
      this.#automations?.areDone !== false &&
      this.#hooks?.areDone !== false &&
      areAtRest(this.#deployment);
    while (this.#time.now < end && this.#violations.length === 0 && !(isAtRestNow() && triggers.hasCounted)) {
      // Without the reconciler an event must report that the vendor accepts jobs again; else probes find it.
      if (this.#faults.weather === 'orderly') void clients.link();
      this.#exports?.read();
      await this.#until(() => false, 30_000);
    }
    if (this.#violations.length > 0) return;
    const process = startProcess(this.#deployment, 'judge');
    const client = new ModelClient(this.#deployment, process, { id: 'judge', doing: 'judge' });
    let isJudged = false;
    const judge = {
      ...{ process, client, acknowledged: clients.acknowledged },
      ...{ agents: this.#agents, deployments: this.#deployments },
    };
    const parts = [faultsAtRest(this.#deployment, judge), this.#exports?.faultsOfLast() ?? Promise.resolve([])];
    void Promise.all(parts)
      .then(async (faults) => [...faults.flat(), ...((await this.#automations?.faultsAtRest()) ?? [])])
      .catch((error: unknown) => [`the judge fell over: ${String(error)}`])
      .then((faults) => {
        for (const fault of [...faults, ...(this.#hooks?.faultsAtRest() ?? [])]) this.#violated(fault);
        isJudged = true;
      });
    await this.#until(() => isJudged);
    triggers.stop();
    this.#hooks?.stop();
  }

  /** Deployments, lost queues and storms of throttling. */
  async #trouble(workers: ModelWorkers, triggers: ModelTriggers): Promise<void> {
    const isStormy = this.#faults.weather === 'stormy';
    while (this.#faults.active) {
      await this.#time.sleep(this.#random.skewed(5_000, 300_000));
      if (this.#faults.happens('deployed', 0.3)) workers.deploy();
      if (isStormy && this.#faults.happens('no workers', 0.05)) workers.leave(this.#random.integer(60_000, 2_400_000));
      if (isStormy && this.#faults.happens('queues purged', 0.1)) {
        this.#deployment.purgeQueues();
        triggers.noteLoss();
      }
      if (this.#faults.active && this.#random.chance(0.3)) {
        this.#faults.vendor = this.#random.chance(0.4) ? undefined : this.#random.pick(PARK_REASONS);
        this.#faults.refused = this.#random.chance(0.3) ? undefined : this.#random.pick(PROFILES);
      }
      if (isStormy && this.#faults.active && this.#random.chance(0.3)) {
        this.#faults.throttled = true;
        await this.#time.sleep(this.#random.skewed(500, 60_000));
        this.#faults.throttled = false;
      }
    }
  }

  /** An attempt whose fence is void, or that was asked to end, must end, unless its worker is paused or dead. */
  #expectEnd(job: string, attempt: number): void {
    const run = [...this.#agents.live].find((live) => live.job === job && live.attempt === attempt);
    if (run === undefined) return;
    const since = this.#time.now;
    this.#time.schedule(() => {
      if (this.#agents.live.has(run) && run.process.hasRunSince(since))
        this.#violated(`attempt ${attempt} of ${this.#deployment.nameOf(job)} runs on although it was to end`);
    }, ENDED_AFTER);
  }

  #expectFolderOfItsOwn(job: Job): void {
    const { allowed, wrong } = besides(this.#folders, job);
    if (allowed.length > 0) this.#deployment.tellEvent('ran beside the job that started it');
    for (const other of wrong)
      this.#violated(`${this.#deployment.nameOf(job.id)} runs in the folder of ${this.#deployment.nameOf(other.id)}`);
  }

  #expectNoCommands(job: Job, doing: string): void {
    const other = this.#commands.worksBeside(job);
    if (other !== undefined)
      this.#violated(
        `${this.#deployment.nameOf(job.id)}: ${doing} beside commands of ${this.#deployment.nameOf(other)}`,
      );
  }

  get #folders(): FolderWorld {
    return { workspaces: ENV.PROMPTQ_WORKSPACES, exclusive: EXCLUSIVE, jobs: () => this.#deployment.allJobs() };
  }

  #violated(fault: string): void {
    this.#violations.push(`${(this.#time.now / 1000).toFixed(3)} s: ${fault}`);
  }

  async #until(isOver: () => boolean, longest = 12 * 3_600_000): Promise<void> {
    const end = this.#time.now + longest;
    let isLate = false;
    const cancel = this.#time.schedule(() => {
      isLate = true;
    }, end - this.#time.now);
    await this.#time.run(() => isLate || isOver() || this.#violations.length > 0);
    cancel();
  }
}
