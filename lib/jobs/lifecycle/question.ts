import type { Job, Question } from './job.ts';
import type { Decision } from './job-event.ts';

type Questioned = Job & { readonly question: Question };

/** All questions of a job, oldest first. */
export function questionsOf({ earlier_questions = [], question }: Pick<Job, 'question' | 'earlier_questions'>) {
  return question === undefined ? [] : [...earlier_questions, question];
}

/** Whether it can still be answered. */
export function isAsking(job: Job): job is Questioned {
  return job.question?.state === 'open';
}

/** The job whose agent has asked. @param limit questions that a job may ask */
export function asked(
  job: Job,
  { attempt, question }: { readonly attempt: number; readonly question: Pick<Question, 'id' | 'due' | 'has_default'> },
  { at, limit }: { readonly at: string; readonly limit: number },
): Decision {
  if (job.status !== 'RUNNING' || job.attempt !== attempt) return { rejected: 'the attempt is over' };
  if (job.cancel_requested_at !== undefined) return { rejected: 'the job is being cancelled' };
  // The write was applied without an answer, and the question may have been answered since.
  if (job.question?.id === question.id) return rejectedIfWithdrawn(job.question) ?? { job };
  if (isAsking(job)) return { rejected: `question ${job.question.id} is open` };
  const earlier = questionsOf(job);
  if (earlier.length >= limit) return { rejected: `a job asks at most ${limit} questions` };
  const open: Question = { ...question, state: 'open' };
  const before = earlier.length > 0 && { earlier_questions: earlier };
  return { job: { ...job, ...before, question: open, updated_at: at } };
}

/** Rejects a question that is asked again under its name, if it was withdrawn meanwhile. */
export function rejectedIfWithdrawn({ id, state }: Question): { readonly rejected: string } | undefined {
  return state === 'withdrawn' ? { rejected: `question ${id} is withdrawn` } : undefined;
}

/** The job without a question that its running agent does not wait for, so that nobody answers in vain. */
export function withdrawnUnheard(
  job: Job,
  { attempt, id }: { readonly attempt: number; readonly id: string },
  at: string,
): Decision {
  if (job.status !== 'RUNNING' || job.attempt !== attempt) return { rejected: 'the attempt is over' };
  if (job.question?.id !== id || !isAsking(job)) return { rejected: `question ${id} is not open` };
  return { job: { ...withdrawn(job), updated_at: at } };
}

/** The job with the answer. It continues at once if it is parked for it. */
export function answered(job: Job, { id, answer }: { id: string; answer: string }, at: string): Decision {
  if (job.question?.id !== id) return { rejected: `the job has no question ${id} to answer` };
  if (!isAsking(job)) return { rejected: `question ${id} is ${job.question.state}` };
  if (at > job.question.due) return { rejected: `the deadline of question ${id} has passed` };
  return { job: continued({ ...job, question: { ...job.question, state: 'answered', answer } }, at) };
}

/** The job after the deadline of its question: it continues with the default answer, or fails. */
export function expired(job: Job, id: string, at: string): Decision {
  if (!isAsking(job) || job.question.id !== id) return { rejected: `question ${id} is not open` };
  if (at <= job.question.due) return { rejected: `question ${id} can be answered until ${job.question.due}` };
  return { job: continued({ ...job, question: { ...job.question, state: 'expired' } }, at) };
}

/** The job without an open question, which can no longer be answered. */
export function withdrawn<J extends Job>(job: J): J {
  return isAsking(job) ? { ...job, question: { ...job.question, state: 'withdrawn' } } : job;
}

/** A job that starts over: no attempt gets the questions of the earlier ones. */
export function withStaleQuestion<J extends Job>(job: J): J {
  const { question } = withdrawn(job);
  return question === undefined ? job : { ...job, question: { ...question, stale: true } };
}

/** A job that continues its session in a new round: an answer counts, since that session may lack it. */
export function withKnownAnswer<J extends Job>(job: J): J {
  return isUnanswered(job) ? withStaleQuestion(job) : withdrawn(job);
}

/** Whether the deadline has passed and the agent gave no default answer. */
export function isUnanswered({ question }: Pick<Job, 'question'>): boolean {
  return question?.state === 'expired' && question.has_default !== true && question.stale !== true;
}

/** A job that waited for its question is queued; one that runs continues. */
function continued(job: Job, at: string): Job {
  if (job.parked !== 'question') return { ...job, updated_at: at };
  const { parked: _parked, due_at: _due, ...rest } = job;
  return { ...rest, reason: 'waiting_for_worker', updated_at: at };
}
