import { Logger } from '@aws-lambda-powertools/logger';
import { createReconciler } from '../../../lib/composition/services.ts';
import { TreeStore } from '../../../lib/jobs/trees/tree-store.ts';
import { WorkerSignals } from '../../../lib/live/worker-signals.ts';
import { starvingBands } from '../../../lib/reconciler/starving-bands.ts';
import { SignalWatch } from '../../../worker-container/heartbeat/signal-watch.ts';
import { pause } from '../../../worker-container/output/timing.ts';
import { MessagePoller } from '../../../worker-container/pool/message-poller.ts';
import { Worker } from '../../../worker-container/pool/worker.ts';
import { type Actor, ModelClient } from '../model/client.ts';
import { ENV } from '../model/environment.ts';
import { SimulatedProcess } from '../model/simulated-process.ts';
import { TREE_LIMIT } from '../rules/tree-rules.ts';
import type { ModelAgents } from './agent.ts';
import type { ModelDeployment } from './deployment.ts';
import type { ModelCommands } from './deployments/commands.ts';

/** A log that discards its lines. */
class SilentLog extends Logger {
  override createChild(): Logger {
    return this;
  }
  override debug(): void {}
  override info(): void {}
  override warn(): void {}
  override error(): void {}
}
const log = new SilentLog({ logLevel: 'SILENT' });

/** A process with a clock that may be wrong by ten minutes either way. */
export function startProcess(deployment: ModelDeployment, name: string): SimulatedProcess {
  const { faults, random, time } = deployment;
  const skew = faults.happens('clock skewed', 0.3) ? random.integer(-600_000, 600_000) : 0;
  return new SimulatedProcess(name, time, faults, skew);
}

/** The context of the reconciler, for one process. */
export function watchOf(deployment: ModelDeployment, process: SimulatedProcess, actor: Actor) {
  const { table, queues, objects } = new ModelClient(deployment, process, actor);
  return {
    ...createReconciler({ env: ENV, table, clock: process.clock, queues, objects }),
    trees: new TreeStore({ table, registryTable: ENV.REGISTRY_TABLE }, TREE_LIMIT),
    random: deployment.random.next,
    hadOutage: () => false,
    newJobId: () => deployment.newJobId(),
    pause: (milliseconds: number) => pause(process.timing, milliseconds),
  };
}

/** Milliseconds in which a stopping worker has ended its attempts: its grace, the polite signal, a claim in progress. */
const STOPPED_AFTER = 120_000;

/** Workers that are restarted after a kill, and replaced by newer ones at a deployment. */
export class ModelWorkers {
  readonly #deployment: ModelDeployment;
  readonly #agents: ModelAgents;
  readonly #commands: ModelCommands;
  readonly #slots: number;
  #count = 0;
  #absentUntil = 0;
  readonly #drains = new Set<() => void>();

  constructor(deployment: ModelDeployment, runs: { agents: ModelAgents; commands: ModelCommands }, slots: number) {
    this.#deployment = deployment;
    this.#agents = runs.agents;
    this.#commands = runs.commands;
    this.#slots = slots;
  }

  /** Starts one worker, and another whenever it has ended. */
  start(): void {
    this.#count += 1;
    const process = startProcess(this.#deployment, `worker-${this.#count}`);
    const [draining, stopping] = [new AbortController(), new AbortController()];
    const drain = () => {
      draining.abort();
      process.schedule(() => stopping.abort(), ENV.PROMPTQ_STOP_GRACE_SECONDS * 1000);
      this.#expectRest(process);
    };
    this.#drains.add(drain);
    const again = () => {
      if (!this.#drains.delete(drain)) return;
      const { time, random } = this.#deployment;
      const absence = Math.max(0, this.#absentUntil - time.now);
      time.schedule(() => this.start(), absence + random.skewed(500, 60_000));
    };
    process.onDeath(again);
    const worker = this.#worker(process, { draining: draining.signal, stopping: stopping.signal });
    worker
      .run(this.#slots)
      .then(again, (error: unknown) => this.#deployment.tellFault(`${process.name} fell over: ${String(error)}`));
  }

  /** What a stopping worker runs must end soon, and what the answer to a slow claim begins later, too. */
  #expectRest(process: SimulatedProcess): void {
    const { time, tellFault } = this.#deployment;
    const since = time.now;
    const runs = () => [...this.#agents.live, ...this.#commands.live].filter((run) => run.process === process);
    const before = new Set<object>(runs());
    time.schedule(() => {
      const running = runs();
      if (running.length === 0) return;
      const hadItsTime = process.hasRunSince(since) && process.wasConnectedSince(since);
      if (hadItsTime && running.some((run) => before.has(run)))
        tellFault(`${process.name} runs something although it must have stopped`);
      else if (process.alive) this.#expectRest(process);
    }, STOPPED_AFTER);
  }

  /** Stops every worker; newer ones start. */
  deploy(): void {
    for (const drain of [...this.#drains]) drain();
  }

  /** Stops every worker, and starts none for so many milliseconds. */
  leave(milliseconds: number): void {
    this.#absentUntil = this.#deployment.time.now + milliseconds;
    this.deploy();
  }

  #worker(process: SimulatedProcess, signals: { draining: AbortSignal; stopping: AbortSignal }): Worker {
    const actor = { id: process.name, doing: 'work' };
    const watch = watchOf(this.#deployment, process, actor);
    const { objects, table } = new ModelClient(this.#deployment, process, actor);
    const registry = { table, registryTable: ENV.REGISTRY_TABLE };
    const context = {
      ...watch,
      env: ENV,
      workerId: process.name,
      markPrefix: '',
      objects,
      log,
      timing: process.timing,
      signals: new SignalWatch({
        signals: new WorkerSignals({ ...registry, clock: process.clock }),
        workerId: process.name,
        onFailure: () => undefined,
        timing: process.timing,
      }),
      machine: {
        folder: { make: async (path: string) => path, remove: async () => undefined },
        runAgent: this.#agents.on(process),
        runCommand: this.#commands.on(process),
        openPersonal: async () => ({ environment: {}, close: async () => undefined }),
      },
      source: new MessagePoller({
        dispatchQueues: watch.dispatchQueues,
        starvingBands: () => starvingBands({ byStatus: watch.byStatus, clock: process.clock }),
        onFailure: () => undefined,
        timing: process.timing,
      }),
    };
    return new Worker(context, signals);
  }
}
