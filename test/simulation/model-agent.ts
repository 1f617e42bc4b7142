import type { AgentFacts } from '../../lib/agents/agent-output.ts';
import type { Job } from '../../lib/jobs/job.ts';
import type { AttemptContext } from '../../worker-container/attempt.ts';
import { attemptOutcome } from '../../worker-container/attempt-outcome.ts';
import type { runAgent } from '../../worker-container/attempt-run.ts';
import type { Ending } from '../../worker-container/ending.ts';
import type { TreeExit } from '../../worker-container/process-tree.ts';
import type { Faults } from './faults.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** One run of an agent that goes on. */
export interface LiveRun {
  readonly job: string;
  readonly attempt: number;
  readonly process: SimulatedProcess;
}

/** Names an attempt in the evidence that it leaves. */
export function evidenceOf(job: Pick<Job, 'id'>, attempt: number): string {
  return `${job.id}/${attempt}`;
}

/** Milliseconds after the last fault in which an attempt may still be lost by it: the longest that a process stands still. */
const AFTERMATH = 720_000;

const EMPTY_STREAM = { bytes: 0, lines: 0, sha256: '', complete: true };

/** Agents that run for a random time, end at random, and end when they are asked to. */
export class ModelAgents {
  readonly live = new Set<LiveRun>();
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #faults: Faults;

  readonly #onFault: (fault: string) => void;

  constructor(time: VirtualTime, random: SeededRandom, faults: Faults, onFault: (fault: string) => void) {
    this.#time = time;
    this.#random = random;
    this.#faults = faults;
    this.#onFault = onFault;
  }

  /** `runAgent` of one worker. */
  on(process: SimulatedProcess): typeof runAgent {
    return async (context, job, { ending }) => {
      await readWhatIsToRun(context, job);
      const run: LiveRun = { job: job.id, attempt: job.attempt, process };
      this.live.add(run);
      process.onDeath(() => this.live.delete(run));
      const { byItself, exit } = await this.#run(process, run, ending, this.#duration(job));
      this.live.delete(run);
      if (ending.reason === 'lost' && this.#time.now > this.#faults.overAt + AFTERMATH)
        this.#onFault(`attempt ${job.attempt} lost its lease although nothing went wrong`);
      const facts = byItself ? this.#facts(job, exit) : { finished: false, sessionId: evidenceOf(job, job.attempt) };
      const reason = byItself ? undefined : ending.reason;
      const record = {
        outcome: attemptOutcome({ ending: reason, exit, facts, timeout: `${job.timeout} seconds` }),
        composed_prompt: '',
        streams: { stdout: EMPTY_STREAM, stderr: EMPTY_STREAM },
        ...(facts.sessionId !== undefined && { session_id: facts.sessionId }),
      };
      return { record, sources: {}, dispose: async () => undefined };
    };
  }

  #duration(job: Job): { length: number; timeout: number | undefined } {
    const isLong = this.#faults.active && this.#random.chance(0.05);
    const length = isLong
      ? this.#random.integer(60_000, 300_000)
      : this.#random.skewed(50, this.#faults.active || this.#random.chance(0.1) ? 120_000 : 5_000);
    return { length, timeout: job.timeout === undefined ? undefined : job.timeout * 1000 };
  }

  async #run(
    process: SimulatedProcess,
    run: LiveRun,
    ending: Ending,
    { length, timeout }: { length: number; timeout: number | undefined },
  ): Promise<{ byItself: boolean; exit: TreeExit }> {
    // The agent goes on while its worker stands still; only the news of its end waits.
    const exited = new Promise<boolean>((resolve) => {
      this.#time.schedule(() => {
        this.live.delete(run);
        process.deliver(() => resolve(true));
      }, length);
    });
    if (timeout !== undefined) process.schedule(() => ending.request('timed_out'), timeout);
    const byItself = await Promise.race([exited, ending.requested.then(() => false)]);
    if (byItself) return { byItself, exit: { exitCode: this.#random.chance(0.7) ? 0 : 1, signal: null } };
    const grace = ending.reason === 'killed' ? 50 : this.#random.skewed(50, 10_000);
    const polite = new Promise<void>((resolve) => void process.schedule(resolve, grace));
    await Promise.race([polite, ending.hurried]);
    return { byItself, exit: { exitCode: null, signal: 'SIGTERM' } };
  }

  #facts(job: Job, exit: TreeExit): AgentFacts {
    const facts = { finished: true, sessionId: evidenceOf(job, job.attempt) };
    if (exit.exitCode === 0 || this.#random.chance(0.8)) return facts;
    if (this.#random.chance(0.5)) return { ...facts, park: { reason: 'account_required' } };
    return { ...facts, park: { reason: 'usage_limit', until: new Date(this.#time.wall + 60_000).toISOString() } };
  }
}

/** The calls with which the real `runAgent` begins. */
async function readWhatIsToRun(context: AttemptContext, job: Job): Promise<void> {
  const profile = await context.profiles.get(job.profile);
  if (profile === undefined) throw new Error(`there is no profile ${job.profile} any more`);
  await context.texts.get(job);
}
