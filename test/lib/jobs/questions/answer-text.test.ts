import { describe, expect, it } from 'vitest';
import type { Job, Question } from '../../../../lib/jobs/lifecycle/job.ts';
import { type AnswerStore, answerText, readMasked } from '../../../../lib/jobs/questions/answer-text.ts';
import type { AnswerRow, StoredQuestion } from '../../../../lib/jobs/store/question-store.ts';

const mask = (text: string) => text.replaceAll('secret', '***');
const by = { by: 'token:me', at: '2026-01-01T01:00:00.000Z' };

/** A question of some minute, with an answer named `a`; `''`: without one. */
function stored(id: string, minute: number, text: string, more: Partial<StoredQuestion> = {}): StoredQuestion {
  const asked_at = `2026-01-01T00:0${minute}:00.000Z`;
  const row = { question: `${id}?`, attempt: 1, asked_at, due: '2027' };
  const answers = new Map(text === '' ? [] : [['a', { text, ...by }]]);
  return { id, ...row, answers, ...more };
}
/** A store of questions; `replaced` has the answers that were written, and `reads` the questions that were read. */
function storeOf(rows: readonly StoredQuestion[]) {
  const replaced: Record<string, AnswerRow> = {};
  const reads: string[] = [];
  const store: AnswerStore = {
    async list() {
      reads.push('all');
      return [...rows];
    },
    async read(_, { id, answer }) {
      reads.push(id);
      const found = rows.find((row) => row.id === id);
      return found && { row: found, answer: found.answers.get(answer ?? '') };
    },
    async replaceAnswer(_, { id, answer }, row) {
      replaced[`${id}#${answer}`] = row;
    },
  };
  return { store, replaced, reads };
}
const question = (more: Partial<Question> = {}): Question => ({
  id: 'q_1',
  state: 'answered',
  due: '2027',
  answer: 'a',
  ...more,
});
const said = (id: string, answer: string) => `You asked:\n\n${id}?\n\nThe answer:\n\n${answer}`;

describe('an answer for an agent', () => {
  it('is masked, and the stored one replaced only if that changes it', async () => {
    const { store, replaced } = storeOf([
      stored('q_1', 1, 'a secret'),
      stored('q_2', 2, 'plain'),
      stored('q_3', 3, ''),
    ]);
    const read = async (id: string, answer?: string) =>
      await readMasked(store, 'job_1', { question: question({ id, answer }), mask });
    expect((await read('q_1', 'a'))?.answer).toEqual({ text: 'a ***', ...by });
    expect((await read('q_2', 'a'))?.answer).toEqual({ text: 'plain', ...by });
    expect(await read('q_3')).toMatchObject({ row: { question: 'q_3?' }, answer: undefined });
    expect(await read('q_4', 'a')).toBeUndefined();
    expect(replaced).toEqual({ 'q_1#a': { text: 'a ***', ...by } });
  });
});

describe('the prompt of the next attempt', () => {
  const textOf = async (
    rows: readonly StoredQuestion[],
    job: Pick<Job, 'question' | 'earlier_questions'>,
    most?: number,
  ) => {
    const { store, reads } = storeOf(rows);
    return { text: await answerText(store, { id: 'job_1', ...job }, mask, most), reads };
  };

  it.each<[what: string, asked: Question | undefined]>([
    ['there is no question', undefined],
    ['it is of an earlier round', question({ stale: true })],
  ])('has no answer, and reads none: %s', async (_, asked) => {
    expect(
      await textOf([stored('q_1', 1, 'yes')], {
        question: asked,
        ...(asked && { earlier_questions: [question({ id: 'q_0' })] }),
      }),
    ).toEqual({
      text: undefined,
      reads: [],
    });
  });

  it('has the default answer of one that has expired', async () => {
    const asked = question({ state: 'expired', answer: undefined });
    const { text } = await textOf([stored('q_1', 1, '', { default: 'blue' })], { question: asked });
    expect(text).toBe(
      'You asked:\n\nq_1?\n\nNobody answered before the deadline. Continue with your default answer:\n\nblue',
    );
  });

  it('has the newest question in any case, and those before it that fit, with no gap', async () => {
    const rows = [stored('q_1', 1, 'one'), stored('q_2', 2, 'two'.repeat(50)), stored('q_3', 3, 'three')];
    const job = { question: question({ id: 'q_3' }), earlier_questions: [question(), question({ id: 'q_2' })] };
    const [one, two, three] = [said('q_1', 'one'), said('q_2', 'two'.repeat(50)), said('q_3', 'three')];
    expect((await textOf(rows, job, 10)).text).toBe(three);
    expect((await textOf(rows, job, `${two}\n\n${three}`.length - 1)).text).toBe(three);
    expect((await textOf(rows, job, `${two}\n\n${three}`.length)).text).toBe(`${two}\n\n${three}`);
    expect((await textOf(rows, job, `${one}\n\n${two}\n\n${three}`.length)).text).toBe(`${one}\n\n${two}\n\n${three}`);
  });
});
