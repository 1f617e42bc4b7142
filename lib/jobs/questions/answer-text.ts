import { LIMITS } from '../../contract/limits.ts';
import type { QuestionView } from '../../contract/schemas/jobs/question.ts';
import type { Job, Question } from '../lifecycle/job.ts';
import { questionsOf } from '../lifecycle/question.ts';
import type { AnswerRow, QuestionRow, QuestionStore } from '../store/question-store.ts';
import { listQuestions } from './questions.ts';

/** What reads an answer for an agent. */
export type AnswerStore = Pick<QuestionStore, 'list' | 'read' | 'replaceAnswer'>;

/**
 * A question and its answer for an agent. The service does not know the secrets that a worker masks, so the answer is
 * masked now; the stored one is replaced first if that changes it.
 * @param mask masks the secrets of the attempt
 */
export async function readMasked(
  store: AnswerStore,
  jobId: string,
  { question, mask }: { readonly question: Question; readonly mask: (text: string) => string },
): Promise<{ readonly row: QuestionRow; readonly answer: AnswerRow | undefined } | undefined> {
  const found = await store.read(jobId, question);
  if (found?.answer === undefined) return found;
  const answer = { ...found.answer, text: mask(found.answer.text) };
  if (answer.text !== found.answer.text) await store.replaceAnswer(jobId, question, answer);
  return { ...found, answer };
}

/**
 * All questions of a job, newest first, for an agent that continues its work. No attempt of the job may have got the
 * answers, so they are masked as `readMasked` does.
 * @param mask masks the secrets of the attempt
 */
export async function listMasked(
  store: AnswerStore,
  job: Job,
  mask: (text: string) => string,
): Promise<readonly QuestionView[]> {
  const masked: QuestionView[] = [];
  for (const view of await listQuestions(store, job)) {
    const answer = view.answer === null ? null : mask(view.answer);
    if (answer !== view.answer) {
      const question = questionsOf(job).find(({ id }) => id === view.id);
      if (question !== undefined) await readMasked(store, job.id, { question, mask });
    }
    masked.push({ ...view, answer });
  }
  return masked;
}

/**
 * The questions of a job and their answers, oldest first, for the prompt of its next attempt: the session may lack the
 * calls, and one that was interrupted may lack the prompt that told them.
 * @param mask masks the secrets of the attempt
 * @param most bytes; the newest question has a place in any case, and those before it as far as they fit
 * @returns undefined: there is nothing to pass on
 */
export async function answerText(
  store: AnswerStore,
  job: Pick<Job, 'id' | 'question' | 'earlier_questions'>,
  mask: (text: string) => string,
  most: number = LIMITS.threadRecordBytes,
): Promise<string | undefined> {
  const texts: string[] = [];
  let left = most;
  for (const one of questionsOf(job).toReversed()) {
    if (one.stale === true) break;
    const text = await passedOn(store, job.id, { question: one, mask });
    if (text === undefined) continue;
    left -= Buffer.byteLength(text) + (texts.length > 0 ? SEPARATOR.length : 0);
    if (left < 0 && one !== job.question) break;
    texts.unshift(text);
  }
  return texts.length === 0 ? undefined : texts.join(SEPARATOR);
}

const SEPARATOR = '\n\n';

async function passedOn(
  store: AnswerStore,
  jobId: string,
  { question, mask }: { readonly question: Question; readonly mask: (text: string) => string },
): Promise<string | undefined> {
  if (question.state !== 'answered' && question.state !== 'expired') return undefined;
  const found = await readMasked(store, jobId, { question, mask });
  if (found === undefined) return undefined;
  const { row, answer } = found;
  const asked = askedText(row.question);
  if (answer !== undefined) return `${asked}\n\nThe answer:\n\n${answer.text}`;
  if (row.default === undefined) return undefined;
  return `${asked}\n\nNobody answered before the deadline. Continue with your default answer:\n\n${row.default}`;
}

/** How a prompt reminds an agent of its question. */
export function askedText(question: string): string {
  return `You asked:\n\n${question}`;
}
