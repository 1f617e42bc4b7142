import { expect, test } from 'vitest';
import { duration } from '../../../console/src/format/duration.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test.for([
  [-3, '0 ms'],
  [99.4, '99 ms'],
  [100, '0.1 s'],
  [4_240, '4.2 s'],
  [9_949, '9.9 s'],
  [9_960, '10 s'],
  [59_400, '59 s'],
  [59_600, '1 min 0 s'],
  [185 * SECOND, '3 min 5 s'],
  [239_600, '4 min 0 s'],
  [HOUR - SECOND, '59 min 59 s'],
  [HOUR, '1 h 0 min'],
  [2 * HOUR + 10 * MINUTE, '2 h 10 min'],
  [47 * HOUR + 59 * MINUTE, '47 h 59 min'],
  [51 * HOUR, '2 d 3 h'],
] as const)('%d ms are %s', ([ms, words]) => {
  expect(duration(ms)).toBe(words);
});
