import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { questionsOf } from '../../../lib/jobs/lifecycle/question.ts';
import { answerText } from '../../../lib/jobs/questions/answer-text.ts';
import { listQuestions } from '../../../lib/jobs/questions/questions.ts';
import type { QuestionStore } from '../../../lib/jobs/store/question-store.ts';
import type { AttemptContext } from '../../../worker-container/attempt/attempt.ts';
import type { Ending } from '../../../worker-container/commands/ending.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { rethrowTransient } from '../../../worker-container/secrets/transient-error.ts';
import { askHuman } from '../../../worker-container/tools/ask-human.ts';
import type { JobWatch } from '../../../worker-container/tools/job-watch.ts';
import { ENV } from '../model/environment.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import { evidenceOf } from './agent.ts';
import type { ModelDeployment } from './deployment.ts';
import type { ModelSession, ModelSessions } from './sessions.ts';

/** How many of the attempts ask. */
const ASKING = 0.12;

/** Seconds after which questions are due. */
const DEADLINES = [1, 10, 40, 120, 300];

/** A secret that workers know, and that some answers contain. */
export const SECRET = 'correct-horse';

/** An answer that was acknowledged to a client. */
export interface AcknowledgedAnswer {
  readonly job: string;
  readonly text: string;
}

/** The questions of one attempt. */
export interface Asking {
  /** Resolves when the agent no longer waits for an answer, and has had the time to end its turn. */
  readonly over: Promise<void>;
  isAsking(): boolean;
  /** The tools of the attempt are closed. */
  close(): void;
}

interface AskingRun {
  readonly session: ModelSession;
  readonly process: SimulatedProcess;
  readonly watch: JobWatch;
  readonly ending: Ending;
  /** Milliseconds that the agent runs without questions. */
  readonly length: number;
}

/** The questions of agents: asked by the real tool, with the heartbeat's reads. */
export class ModelQuestions {
  readonly #deployment: ModelDeployment;
  readonly #sessions: ModelSessions;
  /** By `evidenceOf`: attempts of which a call failed, so that their agents may know nothing of an answer. */
  readonly #failed = new Set<string>();

  constructor(deployment: ModelDeployment, sessions: ModelSessions) {
    this.#deployment = deployment;
    this.#sessions = sessions;
  }

  /** Begins an attempt: its prompt has the answer to the job's newest question. Later its agent may ask. */
  async begin(context: AttemptContext, job: Job, run: AskingRun): Promise<Asking> {
    const { session, process, watch, ending, length } = run;
    const { random } = this.#deployment;
    const redaction = new Redaction([SECRET]);
    const mask = (text: string) => redaction.text(text);
    const answer = await rethrowTransient(() => answerText(context.texts.questions, job, mask));
    if (answer !== undefined) {
      session.hear(answer);
      this.#deployment.tellEvent('answer came with the prompt');
    }
    const over = Promise.withResolvers<void>();
    const closing = new AbortController();
    let isAsking = false;
    const attempt = {
      ...{ job, watch, redaction, timing: process.timing },
      waitMs: ENV.PROMPTQ_ANSWER_WAIT_SECONDS * 1000,
      onUnanswered: () => {
        isAsking = true;
      },
      onAnswered: () => {
        isAsking = false;
      },
      onLate: () => ending.request('asked'),
      onFailure: () => undefined,
    };
    const ask = async () => {
      const input = {
        question: `which ${random.integer(1, 1_000)}?`,
        ...(random.chance(0.5) && { default: `take ${random.integer(1, 1_000)}` }),
        deadline_seconds: random.pick(DEADLINES),
      };
      const result = await askHuman(context, attempt)
        .call(input, closing.signal)
        .catch(() => undefined);
      if (result === undefined) this.#failed.add(evidenceOf(job, job.attempt));
      else session.hear(result);
      if (result !== undefined && !isAsking) this.#deployment.tellEvent('answer was the result of the call');
      if (!isAsking && random.chance(0.1) && !closing.signal.aborted) return await ask();
      // Some agents don't end their turn, although they are asked to.
      process.schedule(over.resolve, isAsking && random.chance(0.2) ? 90_000 : random.skewed(20, 20_000));
    };
    if (random.chance(ASKING)) process.schedule(() => void ask(), random.next() * length);
    else over.resolve();
    return { over: over.promise, isAsking: () => isAsking, close: () => closing.abort() };
  }

  /** What is wrong with a question that a running job, or one that has just succeeded, no longer has; undefined: nothing. */
  faultOfWithdrawal(before: Job, after: Job): string | undefined {
    const isWithdrawn = before.question?.state === 'open' && after.question?.state === 'withdrawn';
    if (!isWithdrawn || before.status !== 'RUNNING' || !['RUNNING', 'SUCCEEDED'].includes(after.status))
      return undefined;
    return this.#failed.has(evidenceOf(before, before.attempt))
      ? undefined
      : 'a question was withdrawn, and no call had failed';
  }

  /** What is wrong with the questions once everything has come to rest. */
  async faultsAtRest(
    store: QuestionStore,
    acknowledged: ReadonlyMap<string, AcknowledgedAnswer>,
    jobs: readonly Job[],
  ): Promise<string[]> {
    const faults: string[] = [];
    const jobOf = new Map(jobs.map((job) => [job.id, job]));
    for (const [id, { job: jobId, text }] of acknowledged) {
      const job = jobOf.get(jobId);
      // The questions of a deleted output are deleted with their answers.
      if (job?.output_deleted !== undefined) continue;
      const found = job && (await listQuestions(store, job)).find((question) => question.id === id);
      if (found?.state !== 'answered' || (found.answer !== text && found.answer !== masked(text)))
        faults.push(
          `question ${id} of ${this.#deployment.nameOf(jobId)}: its acknowledged answer is lost (${found?.state})`,
        );
    }
    for (const job of jobs) {
      if (job.status !== 'SUCCEEDED' || this.#failed.has(evidenceOf(job, job.attempt))) continue;
      const session = this.#sessions.textOf(job, job.attempt);
      for (const { id, answer } of await answersOfRound(store, job)) {
        const { text } = acknowledged.get(id) ?? {};
        if (text === undefined) continue;
        const tell = (fault: string) => faults.push(`question ${id} of ${this.#deployment.nameOf(job.id)}: ${fault}`);
        if (!session.includes(masked(text))) tell('its agent never got the answer');
        if (session.includes(SECRET)) tell('its agent got a secret');
        if (answer?.includes(SECRET) === true) tell('its delivered answer is stored with a secret');
        else if (text.includes(SECRET)) this.#deployment.tellEvent('answer masked');
      }
    }
    return faults;
  }
}

/** The answered questions of a job's last round: those of earlier ones are stale. */
async function answersOfRound(
  store: QuestionStore,
  job: Job,
): Promise<{ readonly id: string; readonly answer: string | undefined }[]> {
  const rows = new Map((await store.list(job.id)).map((row) => [row.id, row]));
  const all = questionsOf(job).toReversed();
  const stale = all.findIndex((one) => one.stale === true);
  return (stale === -1 ? all : all.slice(0, stale)).flatMap(({ id, state, answer = '' }) =>
    state === 'answered' ? [{ id, answer: rows.get(id)?.answers.get(answer)?.text }] : [],
  );
}

function masked(text: string): string {
  return text.replaceAll(SECRET, '***');
}
