import { LIMITS } from '../../contract/limits.ts';
import type { QuestionView } from '../../contract/schemas/jobs/question.ts';
import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { actOnJob, invalidState } from '../dispatch/act-on-job.ts';
import { type TransitionContext, transition } from '../dispatch/transition.ts';
import { gateKey } from '../indexes/ready-keys.ts';
import type { Job } from '../lifecycle/job.ts';
import { isAsking, questionsOf, rejectedIfWithdrawn } from '../lifecycle/question.ts';
import type { JobTextStore } from '../store/job-texts.ts';
import type { QuestionRow, QuestionStore } from '../store/question-store.ts';
import type { ReadPartition } from '../store/ready-partition.ts';

/*
 * An agent asks its people, and its job waits without a worker if no answer comes soon. The state of each question is on
 * the job (`question.ts`), because it decides with the job's own state: an answer also queues a parked job, an end
 * withdraws what nobody will hear, and the lists and the gate follow from it. One conditional write of the job decides
 * between two answers, or between an answer, the deadline and a cancellation. The texts are in rows beside the job. A
 * text is written under a new name first, and counts once the job names it.
 */

/** Dependencies for asking and answering. */
export interface QuestionContext extends TransitionContext {
  readonly texts: Pick<JobTextStore, 'questions'>;
}

/** A question as an agent asks it, masked. */
interface AskedQuestion extends Pick<QuestionRow, 'question' | 'options' | 'default'> {
  readonly id: string;
  /** Default: `LIMITS.questions.deadlineSeconds.default`. */
  readonly deadlineSeconds?: number | undefined;
}

/**
 * Records the question of a running attempt's agent. The same again, by its id, changes nothing once it is recorded.
 * @param fence the job as claimed
 * @returns the job with the question; or why it can't ask
 */
export async function askQuestion(
  context: QuestionContext,
  fence: Pick<Job, 'id' | 'attempt'>,
  { id, deadlineSeconds = LIMITS.questions.deadlineSeconds.default, ...asked }: AskedQuestion,
): Promise<{ readonly job: Job } | { readonly rejected: string }> {
  const { questions } = context.texts;
  const job = await context.jobs.get(fence.id, { consistent: true });
  if (job === undefined) return { rejected: 'the job is gone' };
  if (job.question?.id === id) return rejectedIfWithdrawn(job.question) ?? { job };
  const now = context.clock.now();
  const due = timestamp(now + deadlineSeconds * 1000);
  const isPossible = job.question?.state !== 'open' && questionsOf(job).length < LIMITS.questions.perJob;
  if (isPossible) await questions.put(job.id, id, { ...asked, attempt: fence.attempt, asked_at: timestamp(now), due });
  const question = { id, due, ...(asked.default !== undefined && { has_default: true }) };
  const result = await transition(context, job, { type: 'ask', attempt: fence.attempt, question });
  return result.done ? { job: result.job } : { rejected: result.rejected };
}

/**
 * Answers the open question of a job. A parked job is queued; an agent that waits gets the answer.
 * @throws ApiError `invalid_state` if the question is not open, or its deadline has passed
 */
export async function answerQuestion(
  context: QuestionContext,
  job: Job,
  { questionId, answer, by }: { readonly questionId: string; readonly answer: string; readonly by: string },
): Promise<Job> {
  if (!isAsking(job) || job.question.id !== questionId) throw notOpen(job, questionId);
  const at = timestamp(context.clock.now());
  const name = await context.texts.questions.putAnswer(job.id, questionId, { text: answer, by, at });
  return await actOnJob(context, job, { type: 'answer', id: questionId, answer: name }, 'answer');
}

function notOpen(job: Job, questionId: string): Error {
  const { question } = job;
  if (question?.id === questionId) return invalidState('answer', job, `question ${questionId} is ${question.state}`);
  const open = question?.state === 'open' ? `; question ${question.id} is open` : '';
  return invalidState('answer', job, `the job has no question ${questionId} to answer${open}`);
}

/** Questions that one run expires. The next run continues. */
const MOST = 500;

/**
 * Ends the waits whose deadline has passed. One read while none has, however many questions are open: the partition is
 * sorted by deadline.
 * @returns the jobs that failed for it
 */
export async function expireQuestions(
  context: TransitionContext & { readonly partition: ReadPartition },
): Promise<Job[]> {
  const failed: Job[] = [];
  const now = timestamp(context.clock.now());
  for await (const listed of context.partition(gateKey({ kind: 'question', key: 'open' }), { to: now, most: MOST })) {
    await skipDamaged(`job ${listed.id}`, async () => {
      const job = await context.jobs.find(listed.id);
      // The index may lag behind an answer.
      if (job === undefined || job === 'newer' || job.question === undefined) return;
      const result = await transition(context, job, { type: 'expire', id: job.question.id });
      if (result.done && result.job.status === 'FAILED') failed.push(result.job);
    });
  }
  return failed;
}

/** All questions of a job, newest first. */
export async function listQuestions(store: Pick<QuestionStore, 'list'>, job: Job): Promise<QuestionView[]> {
  const rows = new Map((await store.list(job.id)).map((row) => [row.id, row]));
  const views = questionsOf(job).flatMap(({ id, state, answer: named = '' }): QuestionView[] => {
    const row = rows.get(id);
    if (row === undefined) return [];
    const answer = row.answers.get(named);
    return [
      {
        id,
        job_id: job.id,
        state: state as QuestionView['state'],
        question: row.question,
        options: row.options ?? [],
        default: row.default ?? null,
        attempt: row.attempt,
        asked_at: row.asked_at,
        deadline: row.due,
        answer: answer?.text ?? null,
        answered_by: answer?.by ?? null,
        answered_at: answer?.at ?? null,
      },
    ];
  });
  return views.toReversed();
}
