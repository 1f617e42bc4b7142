import { timestamp } from '../../platform/aws/table-clock.ts';
import { actOnJob, invalidState } from '../dispatch/act-on-job.ts';
import type { Job } from '../lifecycle/job.ts';
import { isAsking } from '../lifecycle/question.ts';
import type { QuestionContext } from './ask-question.ts';

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
