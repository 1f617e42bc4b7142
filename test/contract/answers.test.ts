import { expect, test } from 'vitest';
import { answer } from '../../lib/contract/schemas/jobs/question.ts';

test('an answer has up to 16 KiB of UTF-8, and more than whitespace', () => {
  const takes = (text: string) => answer.safeParse({ question_id: 'q_1', answer: text }).success;
  for (const text of ['y', 'x'.repeat(16_384), 'é'.repeat(8_192)]) expect(takes(text)).toBe(true);
  for (const text of ['', ' \n', 'x'.repeat(16_385), 'é'.repeat(8_193)]) expect(takes(text)).toBe(false);
});
