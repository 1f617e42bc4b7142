import { LIMITS } from '../../contract/limits.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { type TransitionContext, transition } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import { rejectedIfWithdrawn } from '../lifecycle/question.ts';
import type { JobTextStore } from '../store/job-texts.ts';
import type { QuestionRow } from '../store/question-store.ts';

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
 * Records the question of a running attempt's agent: first its text, then its state on the job. The same again, by its
 * id, changes nothing once it is recorded.
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
  if (job.question !== undefined && job.question.state !== 'open') await questions.close(job.id, job.question);
  const now = context.clock.now();
  const due = timestamp(now + deadlineSeconds * 1000);
  const isPossible = job.question?.state !== 'open' && (job.questions ?? 0) < LIMITS.questions.perJob;
  if (isPossible) await questions.put(job.id, id, { ...asked, attempt: fence.attempt, asked_at: timestamp(now), due });
  const question = { id, due, ...(asked.default !== undefined && { has_default: true }) };
  const result = await transition(context, job, { type: 'ask', attempt: fence.attempt, question });
  return result.done ? { job: result.job } : { rejected: result.rejected };
}
