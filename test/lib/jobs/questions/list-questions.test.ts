import { expect, it } from 'vitest';
import { listQuestions } from '../../../../lib/jobs/questions/list-questions.ts';
import type { StoredQuestion } from '../../../../lib/jobs/store/question-store.ts';
import { aJob } from '../a-job.ts';

const stored = (id: string, minute: number, more: Partial<StoredQuestion> = {}): StoredQuestion => ({
  ...{
    id,
    question: `${id}?`,
    attempt: 1,
    asked_at: `2026-01-01T00:0${minute}:00.000Z`,
    due: '2027',
    answers: new Map(),
  },
  ...more,
});
const listed = async (rows: StoredQuestion[], job: Parameters<typeof aJob>[0] = {}) =>
  await listQuestions({ list: async () => rows }, aJob({ id: 'job_1', ...job }));

it('questions are listed newest first, with the answer that counts', async () => {
  const given = (text: string) => ({ text, by: 'token:me', at: '2026-01-01T01:00:00.000Z' });
  const answers = new Map([
    ['a', given('yes')],
    ['b', given('no')],
  ]);
  const old = stored('q_1', 1, { answers, state: 'answered', answer: 'b', options: ['yes', 'no'], default: 'no' });
  const question = { id: 'q_2', state: 'answered', due: '2027', answer: 'a' } as const;
  const view = { job_id: 'job_1', attempt: 1, deadline: '2027', state: 'answered', answered_by: 'token:me' };
  expect(await listed([old, stored('q_2', 2, { answers, state: 'expired' })], { question })).toEqual([
    expect.objectContaining({ ...view, id: 'q_2', options: [], default: null, answer: 'yes' }),
    expect.objectContaining({ ...view, id: 'q_1', options: ['yes', 'no'], default: 'no', answer: 'no' }),
  ]);
});

it('one that is open has no answer, and one that its job never got is left out', async () => {
  const question = { id: 'q_2', state: 'open', due: '2027' } as const;
  const views = await listed([stored('q_1', 1), stored('q_2', 2), stored('q_3', 3)], { question });
  const nothing = { answer: null, answered_by: null, answered_at: null };
  expect(views).toEqual([expect.objectContaining({ id: 'q_2', state: 'open', ...nothing })]);
});
