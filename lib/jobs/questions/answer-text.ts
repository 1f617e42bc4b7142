import type { Job } from '../lifecycle/job.ts';
import type { QuestionStore } from '../store/question-store.ts';

/**
 * The newest question and its answer, for the prompt of the next attempt: its session may lack the call.
 * @returns undefined: there is nothing to pass on
 */
export async function answerText(
  store: Pick<QuestionStore, 'read'>,
  { id, question }: Pick<Job, 'id' | 'question'>,
): Promise<string | undefined> {
  if (question === undefined || question.stale === true) return undefined;
  if (question.state !== 'answered' && question.state !== 'expired') return undefined;
  const found = await store.read(id, question);
  if (found === undefined) return undefined;
  const { row, answer } = found;
  const asked = `You asked:\n\n${row.question}`;
  if (answer !== undefined) return `${asked}\n\nThe answer:\n\n${answer.text}`;
  if (row.default === undefined) return undefined;
  return `${asked}\n\nNobody answered before the deadline. Continue with your default answer:\n\n${row.default}`;
}
