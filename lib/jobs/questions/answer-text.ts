import type { Job } from '../lifecycle/job.ts';
import type { Question } from '../receipts/question-record.ts';
import type { AnswerRow, QuestionRow, QuestionStore } from '../store/question-store.ts';

/** What reads an answer for an agent. */
export type AnswerStore = Pick<QuestionStore, 'read' | 'replaceAnswer'>;

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
 * The newest question and its answer, for the prompt of the next attempt: its session may lack the call.
 * @param mask masks the secrets of the attempt
 * @returns undefined: there is nothing to pass on
 */
export async function answerText(
  store: AnswerStore,
  { id, question }: Pick<Job, 'id' | 'question'>,
  mask: (text: string) => string,
): Promise<string | undefined> {
  if (question === undefined || question.stale === true) return undefined;
  if (question.state !== 'answered' && question.state !== 'expired') return undefined;
  const found = await readMasked(store, id, { question, mask });
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
