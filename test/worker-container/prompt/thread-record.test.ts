import { expect, test } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Receipt } from '../../../lib/jobs/receipts/receipt.ts';
import type { StoredQuestion } from '../../../lib/jobs/store/question-store.ts';
import { threadRecord as recordOf, SessionLostError } from '../../../worker-container/prompt/attempt-prompt.ts';
import { aJob, aReceipt } from '../../lib/jobs/a-job.ts';

type Context = Parameters<typeof recordOf>[0];

/** The record for an attempt that knows no secrets. */
const threadRecord = (context: Context, earlier: Parameters<typeof recordOf>[1], most: number) =>
  recordOf(context, earlier, most, { mask: (text) => text });

/** Characters that do not limit a record. */
const ROOMY = 1_000_000;

/** What is stored of turns, by the id of their job. */
function contextOf(turns: Record<string, { prompt: string; answer?: string; questions?: StoredQuestion[] }>): Context {
  return {
    texts: {
      get: async ({ id }: Job) => ({ prompt: turns[id]?.prompt ?? '', rule_ids: [`rule of ${id}`] }),
      questions: { list: async (id: string) => turns[id]?.questions ?? [] },
    },
    rules: { get: async (ids: readonly string[]) => ({ rules: ids.map((id) => ({ text: `text of ${id}` })) }) },
    output: {
      readReceipt: async (id: string): Promise<Receipt> =>
        aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: id, final_message: turns[id]?.answer }),
    },
  } as unknown as Context;
}

const turn = (id: string, more: Partial<Job> = {}) => ({ job: aJob({ id, attempt: 1, ...more }), attempt: 1 });

function asked(id: string, question: string, more: Partial<StoredQuestion> = {}, answer?: string): StoredQuestion {
  const answers = new Map(
    answer === undefined ? [] : [['answer', { text: answer, by: 'user', at: '2026-11-24T10:01:00.000Z' }]],
  );
  const at = '2026-11-24T10:00:00.000Z';
  return { id, question, attempt: 1, asked_at: at, due: at, answers, ...more };
}

test('an agent without the session gets prompts, questions with their answers, and final messages', async () => {
  const questions = [
    asked('q_2', 'How many?', { default: 'two', asked_at: '2026-11-24T11:00:00.000Z' }),
    asked('q_1', 'Which colour?', {}, 'blue'),
    asked('q_3', 'Withdrawn?', { default: 'no', asked_at: '2026-11-24T12:00:00.000Z' }),
  ];
  const states = {
    earlier_questions: [
      { id: 'q_1', state: 'answered', answer: 'answer', due: '2027' },
      { id: 'q_2', state: 'expired', due: '2027' },
    ],
    question: { id: 'q_3', state: 'withdrawn', due: '2027' },
  } satisfies Partial<Job>;
  const context = contextOf({
    a: { prompt: 'paint it', answer: 'painted', questions },
    b: { prompt: 'sell it', answer: 'sold' },
  });
  const { text, rules, warning } = await threadRecord(context, [turn('a', states), turn('b')], ROOMY);
  const order = [
    'Prompt 1:\npaint it',
    'Question:\nWhich colour?\n\nAnswer to it:\nblue',
    'Question:\nHow many?\n\nAnswer to it:\ntwo',
    'Answer 1:\npainted',
    'Prompt 2:\nsell it',
    'Answer 2:\nsold',
  ].map((part) => text.indexOf(part));
  expect(order.every((at) => at >= 0)).toBe(true);
  expect(order).toEqual(order.toSorted((x, y) => x - y));
  expect(text).not.toContain('Withdrawn?');
  expect(warning).toBeUndefined();
  expect(rules).toEqual(['text of rule of b', 'text of rule of a']);
});

test('the record has at most 64 KiB, of the newest turns', async () => {
  const long = 'é'.repeat(15_000);
  const names = Array.from({ length: 9 }, (_, n) => `turn-${n}`);
  const context = contextOf(Object.fromEntries(names.map((name) => [name, { prompt: `${name} ${long}` }])));
  const { text, rules, warning } = await threadRecord(
    context,
    names.map((name) => turn(name)),
    ROOMY,
  );
  expect(Buffer.byteLength(text)).toBeLessThan(65 * 1024);
  expect(text).toContain('Prompt 9:\nturn-8');
  expect(text).not.toContain('turn-0');
  expect(rules).toEqual(names.toReversed().map((name) => `text of rule of ${name}`));
  expect(warning).toBe(
    'session: the agent got a shortened record of the thread: 7 of 9 turns left out (the oldest), long texts cut in 2 turns',
  );
  const cut = contextOf({ a: { prompt: long.repeat(2) } });
  expect((await threadRecord(cut, [turn('a')], ROOMY)).warning).toBe(
    'session: the agent got a shortened record of the thread: long texts cut in 1 turn',
  );
  const huge = contextOf({ a: { prompt: '🙂'.repeat(50_000), answer: '🙂'.repeat(50_000) } });
  const one = (await threadRecord(huge, [turn('a')], ROOMY)).text;
  expect(Buffer.byteLength(one)).toBeLessThan(65 * 1024);
  expect(one).not.toContain('\uFFFD');
});

test('an agent that knows the turns before reads that it lacks the later ones', async () => {
  const context = contextOf({ a: { prompt: 'paint it' } });
  const headed = async (isPart: boolean) =>
    (await recordOf(context, [turn('a')], ROOMY, { isPart, mask: (text) => text })).text;
  expect(await headed(true)).toContain('lacks later turns of this work');
  expect(await headed(false)).toContain('the conversation about it is not available to you');
});

test('a continued job of which nothing is left fails instead of guessing', async () => {
  await expect(threadRecord(contextOf({}), [], ROOMY)).rejects.toThrow(SessionLostError);
});

test.each([200_000, 20_000, 3_000])(
  'the record and its rules fit into %i characters, of many questions too',
  async (most) => {
    const names = Array.from({ length: 20 }, (_, n) => `q_${n}`);
    const questions = names.map((name) => asked(name, `${name}?`, {}, `${name} ${'x'.repeat(8_000)}`));
    const context = contextOf({
      a: { prompt: 'old' },
      b: { prompt: `new ${'x'.repeat(100_000)}`, answer: 'x'.repeat(100_000), questions },
    });
    const all = names.map((id) => ({ id, state: 'answered' as const, answer: 'answer', due: '2027' }));
    const turns = [turn('a'), turn('b', { question: all.at(-1), earlier_questions: all.slice(0, -1) })];
    const { text, rules, warning } = await threadRecord(context, turns, most);
    expect([...rules, text].join('\n\n').length).toBeLessThanOrEqual(most);
    expect(text).toContain('Prompt 2:\nnew');
    expect(warning).toMatch(/long texts cut in 1 turn$/);
  },
);

test('a continued job whose prompt leaves no room for the record fails instead of guessing', async () => {
  const context = contextOf({ a: { prompt: 'paint it' } });
  await expect(threadRecord(context, [turn('a')], 1_000)).rejects.toThrow(SessionLostError);
});
