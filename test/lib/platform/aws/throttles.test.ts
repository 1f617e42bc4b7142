import { expect, it } from 'vitest';
import { isThrottle } from '../../../../lib/platform/aws/throttles.ts';

const answered = (httpStatusCode?: number) => Object.assign(new Error('refused'), { $metadata: { httpStatusCode } });

it.each([
  ['status 429', answered(429), true],
  ['status 503', answered(503), true],
  ['status 400', answered(400), false],
  ['status 500', answered(500), false],
  ['no status', answered(), false],
  ['no answer', new Error('socket hang up'), false],
])('an error of an unknown name is a throttle by its status only: %s', (_, error, expected) => {
  expect(isThrottle(error)).toBe(expected);
});
