import { dataOf } from '../client/data-of.ts';
import type { Promptq, Schemas } from '../client/promptq.ts';
import { type Answer, fits, largest, startOf } from './answers.ts';
import { lengthFor } from './job-output.ts';

/*
 * What the agents of a job have asked, in answers that fit into an agent's context. One question with its answer can be
 * longer than that: then its texts are cut, unless the caller gives a limit.
 */

interface Part {
  readonly id: string;
  readonly offset?: number;
  /** Questions. */
  readonly limit?: number;
}

/** The questions of a job from `offset`, as many as fit, newest first. */
export async function listQuestions(client: Promptq, { id, offset = 0, limit }: Part): Promise<Answer> {
  const { items } = await dataOf(client.api.GET('/api/v1/jobs/{id}/questions', { params: { path: { id } } }));
  const isOpen = items.some(({ state }) => state === 'open');
  const message = isOpen ? 'A question waits for an answer.' : 'No question waits for an answer.';
  const part = (count: number, length?: number): Answer => {
    const end = offset + count;
    const shown = items.slice(offset, end);
    return {
      message: length === undefined ? message : `${message} Its texts are cut: give limit 1 for all of them.`,
      fields: {
        items: length === undefined ? shown : shown.map((item) => cut(item, length)),
        next_offset: end < items.length ? end : null,
      },
    };
  };
  const isFine = (answer: Answer) => fits(answer, lengthFor(limit));
  const most = Math.min(limit ?? items.length, Math.max(0, items.length - offset));
  const count = largest(most, (some) => isFine(part(some)));
  if (count > 0 || most === 0) return part(count);
  return part(
    1,
    largest(LONGEST, (length) => isFine(part(1, length))),
  );
}

/** Characters of the longest text: an answer. */
const LONGEST = 16 * 1024;

function cut(question: Schemas['Question'], length: number): Schemas['Question'] {
  const start = (text: string) => startOf(text, length);
  const { default: fallback, answer } = question;
  return {
    ...question,
    question: start(question.question),
    options: question.options.map(start),
    default: fallback === null ? null : start(fallback),
    answer: answer === null ? null : start(answer),
  };
}
