import type { AuditLog } from '../../access/audit-log.ts';
import { ApiError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { answerQuestion as route } from '../../contract/routes/questions.ts';
import type { Job } from '../../jobs/lifecycle/job.ts';
import { questionsOf } from '../../jobs/lifecycle/question.ts';
import { answerQuestion, type QuestionContext } from '../../jobs/questions/questions.ts';
import { findJob } from '../../jobs/store/find-job.ts';

/*
 * A person answers a question from a messenger. It is the action of `POST /jobs/{id}/answers`, decided by the same write of
 * the job: of several answers, from wherever they come, one counts. What differs is who acts. The messenger vouches for
 * the id of the person, and the subscription lists those that may answer; no token or role of ours is involved. So who
 * answered is recorded as MESSENGER:ID, with the question and in the audit log, which also has the refused.
 *
 * Messengers repeat what they don't know to have arrived. The same answer of the same person again is the first one: it
 * gets the same outcome and changes nothing.
 */

export interface AnsweringContext extends QuestionContext {
  readonly audit: Pick<AuditLog, 'record'>;
}

/** What a person sent, verified to come from the messenger. */
interface PersonsAnswer {
  readonly subscription: {
    readonly id: string;
    /** Ids of the persons that may answer. */
    readonly answersFrom: readonly string[];
  };
  readonly messenger: 'slack' | 'telegram';
  /** The id of the person in the messenger. */
  readonly person: string;
  readonly jobId: string;
  readonly questionId: string;
  /** An option by its index, or a text. */
  readonly answer: { readonly option: number } | { readonly text: string };
  /** Names the request in the audit log. */
  readonly requestId: string;
}

/** What became of it, and a sentence for that person. The sentence may hold foreign text. */
export interface AnswerOutcome {
  /**
   * `answered`: it is the answer that counts. `too_late`: the question was answered before, or no longer waits.
   * `unusable`: this can't be an answer. `refused`: the person may not answer. `gone`: there is no such question.
   */
  readonly kind: 'answered' | 'too_late' | 'unusable' | 'refused' | 'gone';
  readonly sentence: string;
}

/** Answers a question on behalf of a person outside of the deployment. */
export async function answerForPerson(context: AnsweringContext, given: PersonsAnswer): Promise<AnswerOutcome> {
  const { jobId, questionId, person, subscription } = given;
  const by = `${given.messenger}:${person}`;
  const audit = async (status: number) =>
    await context.audit.record({
      actor: by,
      action: route.id,
      target: { id: jobId, question: questionId, subscription: subscription.id },
      sourceIp: undefined,
      status,
      requestId: given.requestId,
    });
  if (!subscription.answersFrom.includes(person)) {
    await audit(403);
    return { kind: 'refused', sentence: 'You are not among those who may answer this question.' };
  }
  const job = await findJob(context.jobs, jobId).catch(ifGone);
  const found = job && (await context.texts.questions.read(jobId, { id: questionId }));
  if (job === undefined || found === undefined) return { kind: 'gone', sentence: 'The job of this question is gone.' };
  const answer = textOf(given.answer, found.row.options);
  if (answer === undefined) return { kind: 'gone', sentence: 'The question has no such answer.' };
  const fault = faultOf(answer);
  if (fault !== undefined) return { kind: 'unusable', sentence: fault };
  try {
    await answerQuestion(context, job, { questionId, answer, by });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_state') throw error;
    const known = await currentAnswer(context, jobId, questionId);
    if (known?.by === by && known.text === answer) return answered(answer);
    await audit(error.status);
    return { kind: 'too_late', sentence: known?.sentence ?? 'The job of this question is gone.' };
  }
  await audit(200);
  return answered(answer);
}

function answered(answer: string): AnswerOutcome {
  return { kind: 'answered', sentence: `Your answer: ${answer}` };
}

function ifGone(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'job_not_found') return undefined;
  throw error;
}

function textOf(answer: PersonsAnswer['answer'], options: readonly string[] = []): string | undefined {
  return 'text' in answer ? answer.text : options[answer.option];
}

/** As the schema of the route, in words for a person. */
function faultOf(answer: string): string | undefined {
  if (answer.trim() === '') return 'An answer needs more than whitespace.';
  const bytes = Buffer.byteLength(answer);
  const most = LIMITS.questions.answerBytes;
  return bytes > most ? `The answer has ${bytes} bytes, and ${most} are allowed.` : undefined;
}

/** What a question has become, as of the last acknowledged write. */
async function currentAnswer(
  context: AnsweringContext,
  jobId: string,
  questionId: string,
): Promise<{ readonly by?: string; readonly text?: string; readonly sentence: string } | undefined> {
  const job = await findJob(context.jobs, jobId).catch(ifGone);
  const question = job && questionsOf(job).find(({ id }) => id === questionId);
  if (question === undefined) return undefined;
  const found = await context.texts.questions.read(jobId, question);
  if (question.state !== 'answered' || found?.answer === undefined) return { sentence: closedSentence(question.state) };
  const { by, text } = found.answer;
  return { by, text, sentence: `Already answered by ${by}: ${text}` };
}

function closedSentence(state: NonNullable<Job['question']>['state']): string {
  if (state === 'expired') return 'The deadline of the question has passed.';
  return 'The job no longer waits for an answer to this question.';
}
