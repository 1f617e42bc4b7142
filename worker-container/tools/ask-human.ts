import * as z from 'zod';
import { LIMITS } from '../../lib/contract/limits.ts';
import { type TransitionContext, transition } from '../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { answerText, readMasked } from '../../lib/jobs/questions/answer-text.ts';
import { askQuestion, type QuestionContext } from '../../lib/jobs/questions/questions.ts';
import { newQuestionId } from '../../lib/jobs/store/question-store.ts';
import { machineTiming, type Timing } from '../output/timing.ts';
import type { Redaction } from '../secrets/redaction.ts';
import type { JobWatch } from './job-watch.ts';
import { type Tool, ToolRefusedError, tool } from './tool.ts';

/** What a question needs of its attempt. */
export interface AskingAttempt {
  readonly job: Pick<Job, 'id' | 'attempt'>;
  readonly watch: JobWatch;
  /** Masks the question and the answer. */
  readonly redaction: Redaction;
  /** Milliseconds that the agent waits for an answer. */
  readonly waitMs: number;
  /** The agent got no answer: its attempt ends with the question, soon. */
  readonly onUnanswered: () => void;
  /** The agent got an answer, and those to its questions before. */
  readonly onAnswered: () => void;
  /** The agent has had time to end its turn. */
  readonly onLate: () => void;
  /** The answer could not be read, or a question could not be withdrawn yet. */
  readonly onFailure: (error: unknown) => void;
  readonly timing?: Timing | undefined;
}

const { questions } = LIMITS;

const text = () =>
  z
    .string()
    .refine((value) => Buffer.byteLength(value) <= questions.textBytes, {
      error: `expected at most ${questions.textBytes} bytes`,
      abort: true,
    })
    .refine((value) => value.trim() !== '', 'expected more than whitespace');

/**
 * Asks a person. An answer that comes soon is the answer of the call. Otherwise the agent is asked to end its turn, and
 * the job continues in the same session with the answer, so that waiting takes no worker.
 */
export function askHuman(context: QuestionContext, attempt: AskingAttempt): Tool {
  /** By text: questions whose calls run or failed. They may be recorded, so the same call again asks nothing new. */
  const unsure = new Map<string, { readonly id: string; readonly unheard?: UnheardQuestion }>();
  /** Withdraws the request to end the attempt; undefined: the agent lacks no answer. */
  let cancelEnd: (() => void) | undefined;
  const knownId = async (question: string): Promise<string | undefined> => {
    const known = unsure.get(question);
    return (await known?.unheard?.isWithdrawn()) === true ? undefined : known?.id;
  };
  return tool({
    name: 'ask_human',
    description:
      'Ask the people behind this job a question that you cannot answer yourself, and wait. If no answer comes within a minute you are asked to end your turn; the job then continues here with the answer, maybe hours later. Ask one question at a time, and say everything that is needed to decide.',
    input: z.object({
      question: text(),
      options: z
        .array(z.string().min(1).max(questions.optionLength))
        .max(questions.options)
        .optional()
        .describe('Answers to choose from. People may answer with other text.'),
      default: text()
        .optional()
        .describe('What counts if nobody answers before the deadline. Without it the job fails then.'),
      deadline_seconds: z
        .number()
        .int()
        .min(questions.deadlineSeconds.min)
        .max(questions.deadlineSeconds.max)
        .optional()
        .describe(`Default: ${questions.deadlineSeconds.default}, a week.`),
    }),
    async call({ deadline_seconds: deadlineSeconds, ...given }, signal) {
      const asked = attempt.redaction.strings(given, { except: new Set() });
      const id = (await knownId(asked.question)) ?? newQuestionId();
      unsure.set(asked.question, { id });
      const result = await askQuestion(context, attempt.job, { ...asked, id, deadlineSeconds }).catch(
        (error: unknown) => {
          unsure.set(asked.question, { id, unheard: withdrawUnheard(context, attempt, id) });
          throw error;
        },
      );
      unsure.delete(asked.question);
      if ('rejected' in result) throw new ToolRefusedError(`Not asked: ${result.rejected}.`);
      // An agent that asks again instead of ending its turn waits again.
      cancelEnd?.();
      const found = async () => {
        const waited = await waitForAnswer(context, attempt, { id, signal, seconds: deadlineSeconds });
        if (waited === undefined) return undefined;
        const answer = await answerOf(context, waited, attempt.redaction);
        if (answer === undefined || cancelEnd === undefined) return answer;
        const mask = (given: string) => attempt.redaction.text(given);
        return (await answerText(context.texts.questions, waited, mask)) ?? answer;
      };
      // The question is recorded: the next attempt gets an answer that could not be read here.
      const answer = await found().catch(attempt.onFailure);
      if (answer !== undefined) {
        cancelEnd = undefined;
        attempt.onAnswered();
        return answer;
      }
      attempt.onUnanswered();
      const { timing = machineTiming } = attempt;
      cancelEnd = timing.schedule(attempt.onLate, questions.endSeconds * 1000);
      return 'Your question is recorded. There is no answer yet. End your turn now, and do nothing else: this conversation continues with the answer.';
    },
  });
}

/** @returns the job with a question that is no longer open; undefined: it is still open when the wait is over */
async function waitForAnswer(
  context: QuestionContext,
  { job, watch, waitMs, timing = machineTiming }: AskingAttempt,
  { id, signal, seconds }: { readonly id: string; readonly signal: AbortSignal; readonly seconds: number | undefined },
): Promise<Job | undefined> {
  const over = new AbortController();
  const dueMs = (seconds ?? questions.deadlineSeconds.default) * 1000 + 1;
  const cancel = timing.schedule(() => over.abort(), Math.min(waitMs, dueMs));
  try {
    // A read that began before the question was recorded shows the one before.
    const isOver = ({ question }: Job) => question?.id === id && question.state !== 'open';
    const heard = await watch.until(isOver, AbortSignal.any([signal, over.signal]));
    if (heard !== undefined || signal.aborted || dueMs > waitMs) return heard;
    const known = await context.jobs.get(job.id, { consistent: true });
    if (known === undefined) return undefined;
    const result = await transition(context, known, { type: 'expire', id });
    return result.done || (result.job !== undefined && isOver(result.job)) ? result.job : undefined;
  } finally {
    cancel();
  }
}

/** What the agent gets of a question that is no longer open; undefined: nothing, its turn has to end. */
async function answerOf(
  { texts }: QuestionContext,
  { id, question }: Job,
  redaction: Redaction,
): Promise<string | undefined> {
  if (question === undefined) return undefined;
  const found = await readMasked(texts.questions, id, { question, mask: (given) => redaction.text(given) });
  // Only a question that was answered names an answer.
  if (found?.answer !== undefined) return `The answer: ${found.answer.text}`;
  if (question.state === 'expired' && found?.row.default !== undefined)
    return `Nobody answered before the deadline. Continue with your default answer: ${found.row.default}`;
  return undefined;
}

/** A question whose call failed: it may be recorded, or be recorded late, and its agent does not wait for an answer. */
interface UnheardQuestion {
  /** The agent asks it again: it stays if it is still open. @returns whether it was withdrawn */
  isWithdrawn(): Promise<boolean>;
}

/** Withdraws the question once the heartbeat reads it as open, so that nobody answers in vain. */
function withdrawUnheard(
  context: TransitionContext,
  {
    job: { attempt },
    watch,
    onFailure,
  }: {
    readonly job: Pick<Job, 'attempt'>;
    readonly watch: JobWatch;
    readonly onFailure: (error: unknown) => void;
  },
  id: string,
): UnheardQuestion {
  const repeated = new AbortController();
  const isRecorded = ({ question }: Job) =>
    question?.id === id && (question.state === 'open' || question.state === 'withdrawn');
  const withdrawing = async (): Promise<boolean> => {
    for (;;) {
      const job = await watch.until(isRecorded, repeated.signal);
      if (job === undefined) return false;
      if (job.question?.state === 'withdrawn') return true;
      try {
        if ((await transition(context, job, { type: 'withdraw', attempt, id })).done) return true;
      } catch (error) {
        onFailure(error);
      }
    }
  };
  const done = withdrawing();
  return {
    async isWithdrawn() {
      repeated.abort();
      return await done;
    },
  };
}
