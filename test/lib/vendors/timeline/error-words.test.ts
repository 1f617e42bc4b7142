import { expect, it } from 'vitest';
import { errorWords } from '../../../../lib/vendors/timeline/error-words.ts';

it.each([
  ['400: {"error":{"message":"no"}} (id 7)', '400: no (id 7)'],
  ['{"message":"no"}', 'no'],
  ['{"detail":"no"}', 'no'],
  ['{"error":{"message":"inner"},"message":"outer"}', 'inner'],
  ['{"message":""}', '{"message":""}'],
  ['{"other":"no"}', '{"other":"no"}'],
  ['{broken}', '{broken}'],
  ['} no {', '} no {'],
  ['a { b', 'a { b'],
  ['a } b', 'a } b'],
  ['plain', 'plain'],
])('of the error %s, people read %s', (message, words) => {
  expect(errorWords(message)).toBe(words);
});
