import { expect, test } from 'vitest';
import type { QuestionContext } from '../../../lib/jobs/questions/questions.ts';
import { type AskingAttempt, askHuman } from '../../../worker-container/tools/ask-human.ts';

// Nothing is asked.
const { input } = askHuman({} as QuestionContext, {} as AskingAttempt);
const takes = (given: object) => input.safeParse({ question: 'Which?', ...given }).success;

test('ask_human takes ten options of 200 characters, and no more', () => {
  const options = Array.from({ length: 10 }, () => '.'.repeat(200));
  expect(takes({ options })).toBe(true);
  expect(takes({ options: [...options, 'eleventh'] })).toBe(false);
  expect(takes({ options: ['.'.repeat(201)] })).toBe(false);
});

test.for(['question', 'default'])('ask_human takes a %s of 2,048 bytes, and no more', (name) => {
  for (const text of ['.'.repeat(2_048), 'é'.repeat(1_024)]) expect(takes({ [name]: text })).toBe(true);
  for (const text of ['.'.repeat(2_049), 'é'.repeat(1_025), ' \n', '']) expect(takes({ [name]: text })).toBe(false);
});

test('ask_human takes deadlines of a second to 30 days', () => {
  const taken = [0, 1, 1.5, 2_592_000, 2_592_001].map((seconds) => takes({ deadline_seconds: seconds }));
  expect(taken).toEqual([false, true, false, true, false]);
});
