import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { NOTHING } from '../../../lib/jobs/output/live-output.ts';
import type { AgentFacts } from '../../../lib/vendors/output/agent-output.ts';
import type { Attempt, AttemptContext, AttemptRun } from '../../../worker-container/attempt/attempt.ts';
import { attemptOutcome } from '../../../worker-container/attempt/attempt-outcome.ts';
import type { Ending } from '../../../worker-container/commands/ending.ts';
import { isReleasingJob } from '../../../worker-container/commands/ending.ts';
import type { TreeExit } from '../../../worker-container/commands/process-tree.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import { type AgentScript, agentScript, SILENT } from './agent-script.ts';
import { ModelDelegation } from './delegation.ts';
import type { ModelDeployment } from './deployment.ts';
import { ModelForks } from './forks.ts';
import { ModelMessages } from './messages.ts';
import { ModelOutput } from './output.ts';
import { type Asking, ModelQuestions } from './questions.ts';
import { ModelSessions } from './sessions.ts';

/** One run of an agent in progress. */
export interface LiveRun {
  readonly job: string;
  readonly attempt: number;
  readonly process: SimulatedProcess;
}

/** What an attempt wrote, as its worker saw it. */
export interface Written {
  text: string;
  /** Positions of the good follow-up blocks of what it wanted to write. */
  readonly good: readonly number[];
}

/** Names an attempt in the evidence that it leaves. */
export function evidenceOf(job: Pick<Job, 'id'>, attempt: number): string {
  return `${job.id}/${attempt}`;
}

/** Milliseconds after the last fault in which an attempt may still be lost by it: the longest pause of a process. */
const AFTERMATH = 720_000;

const EMPTY_STREAM = { bytes: 0, lines: 0, sha256: '', complete: true };

/** Agents that run for a random time, write, end at random, and end when they are asked to. */
export class ModelAgents {
  readonly live = new Set<LiveRun>();
  /** By `evidenceOf`. */
  readonly written = new Map<string, Written>();
  readonly #deployment: ModelDeployment;
  readonly #sessions: ModelSessions;
  readonly messages: ModelMessages;
  readonly questions: ModelQuestions;
  readonly forks: ModelForks;
  readonly delegation: ModelDelegation;
  /** By job. */
  readonly #scripts = new Map<string, AgentScript>();

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
    this.#sessions = new ModelSessions(deployment);
    this.messages = new ModelMessages(deployment, this.#sessions);
    this.questions = new ModelQuestions(deployment, this.#sessions);
    this.forks = new ModelForks(deployment);
    this.delegation = new ModelDelegation(deployment);
  }

  /** `runAgent` of one worker. */
  on(process: SimulatedProcess): (attempt: Attempt) => Promise<AttemptRun> {
    const { time, faults, tellFault } = this.#deployment;
    return async ({ worker: context, job, ending, claim: { watched, seen, watch } }) => {
      await readWhatIsToRun(context, job);
      await this.forks.copy(context, job, process);
      const name = `attempt ${job.attempt} of ${this.#deployment.nameOf(job.id)}`;
      if (this.written.has(evidenceOf(job, job.attempt))) tellFault(`${name} was started twice`);
      const run: LiveRun = { job: job.id, attempt: job.attempt, process };
      const script = this.#script(job);
      const isScript = script.pieces.length > 0;
      const session = isScript ? undefined : await this.#sessions.begin(context.objects, process, job);
      const output = new ModelOutput(context.objects, process.timing, job);
      const duration = this.#duration(job);
      session?.converse(duration.length);
      if (session !== undefined)
        this.delegation.begin(context, job, { process, length: duration.length, isOver: () => !this.live.has(run) });
      const begin = async () => {
        if (session === undefined) return {};
        const asking = await this.questions.begin(context, job, { session, process, watch, ending, ...duration });
        return { asking, talk: await this.messages.begin(context, job, { session, process, watched, seen }) };
      };
      const { asking, talk } = await begin().catch((error: unknown) => {
        // Answers and messages that can't be read end the attempt before its agent has started.
        session?.dispose();
        throw error;
      });
      this.live.add(run);
      process.onDeath(() => this.live.delete(run));
      const { byItself, exit } = await this.#run(process, run, ending, { ...duration, script, output, asking });
      this.live.delete(run);
      asking?.close();
      await talk?.end();
      if (ending.reason === 'lost' && time.now > faults.overAt + AFTERMATH)
        tellFault(`${name} lost its lease although nothing went wrong`);
      try {
        const { stdout, follow_ups } = await output.finish({
          complete: byItself,
          isReleasingJob: isReleasingJob(ending),
        });
        await session?.finish(ending);
        const facts = byItself ? this.#facts(job, exit) : { finished: false, sessionId: evidenceOf(job, job.attempt) };
        const reason = byItself ? undefined : ending.reason;
        const record = {
          outcome: attemptOutcome({
            ...{ ending: reason, exit, facts, timeout: `${job.timeout} seconds` },
            asked: asking?.isAsking() === true,
          }),
          // What asks for jobs is a script; only agents of a vendor keep a session.
          agent: isScript ? ('shell' as const) : ('codex' as const),
          composed_prompt: '',
          streams: { stdout, stderr: EMPTY_STREAM },
          ...(talk !== undefined && talk.seen.length > 0 && { messages: [...talk.seen] }),
          ...(facts.sessionId !== undefined && { session_id: facts.sessionId }),
          ...(follow_ups !== undefined && { follow_ups }),
        };
        return { record, sources: { stdout: NOTHING, stderr: NOTHING }, dispose: async () => undefined };
      } finally {
        session?.dispose();
        output.dispose();
      }
    };
  }

  /** The same prompt mostly makes an agent request the same again. */
  #script({ id, question }: Job): AgentScript {
    const { random } = this.#deployment;
    // Scripts don't ask.
    if (question !== undefined) return SILENT;
    const before = this.#scripts.get(id);
    const script = before !== undefined && random.chance(0.7) ? before : agentScript(random);
    this.#scripts.set(id, script);
    return script;
  }

  #duration(job: Job): { length: number; timeout: number | undefined } {
    const { faults, random } = this.#deployment;
    const isLong = faults.active && random.chance(0.05);
    const length = isLong
      ? random.integer(60_000, 300_000)
      : random.skewed(50, faults.active || random.chance(0.1) ? 120_000 : 5_000);
    return { length, timeout: job.timeout === undefined ? undefined : job.timeout * 1000 };
  }

  async #run(
    process: SimulatedProcess,
    run: LiveRun,
    ending: Ending,
    { length, timeout, script, output, asking }: RunPlan,
  ): Promise<{ byItself: boolean; exit: TreeExit }> {
    const { time, random } = this.#deployment;
    const written: Written = { text: '', good: script.good };
    this.written.set(evidenceOf({ id: run.job }, run.attempt), written);
    let isOver = false;
    let next = 0;
    const writeUpTo = (end: number) => {
      for (; next < end && !isOver; next += 1) {
        const piece = script.pieces[next] ?? '';
        written.text += piece;
        output.write(piece);
      }
    };
    const half = Math.ceil(script.pieces.length / 2);
    if (half > 0) process.schedule(() => writeUpTo(half), random.next() * length * 0.9);
    // The agent continues while its worker is paused; only the event of its end waits.
    const exited = new Promise<boolean>((resolve) => {
      const exit = () => {
        this.live.delete(run);
        process.deliver(() => {
          writeUpTo(script.pieces.length);
          resolve(true);
        });
      };
      time.schedule(() => (asking === undefined ? exit() : void asking.over.then(exit)), length);
    });
    if (timeout !== undefined) process.schedule(() => ending.request('timed_out'), timeout);
    const byItself = await Promise.race([exited, ending.requested.then(() => false)]);
    isOver = true;
    if (byItself) return { byItself, exit: { exitCode: random.chance(0.7) ? 0 : 1, signal: null } };
    const grace = ending.reason === 'killed' ? 50 : random.skewed(50, 10_000);
    const polite = new Promise<void>((resolve) => void process.schedule(resolve, grace));
    await Promise.race([polite, ending.escalated]);
    return { byItself, exit: { exitCode: null, signal: 'SIGTERM' } };
  }

  #facts(job: Job, exit: TreeExit): AgentFacts {
    const { faults, random, time } = this.#deployment;
    const facts = { finished: true, sessionId: evidenceOf(job, job.attempt) };
    const isRefused = faults.vendor !== undefined && (faults.refused ?? job.profile) === job.profile;
    if (faults.vendor !== undefined && isRefused && faults.happens('vendor refuses', 0.9)) {
      if (faults.vendor === 'account_required') return { ...facts, park: { reason: faults.vendor } };
      const until = random.chance(0.5)
        ? { until: new Date(time.wall + random.skewed(1_000, 1_800_000)).toISOString() }
        : {};
      return { ...facts, park: { reason: faults.vendor, ...until } };
    }
    return exit.exitCode !== 0 && random.chance(0.3) ? { ...facts, error: 'the agent gave up' } : facts;
  }
}

interface RunPlan {
  readonly length: number;
  readonly timeout: number | undefined;
  readonly script: AgentScript;
  readonly output: ModelOutput;
  readonly asking: Asking | undefined;
}

/** The calls with which the real `runAgent` begins. */
async function readWhatIsToRun(context: AttemptContext, job: Job): Promise<void> {
  const profile = await context.profiles.get(job.profile);
  if (profile === undefined) throw new Error(`profile ${job.profile} no longer exists`);
  await context.texts.get(job);
}
