import { expect, test } from 'vitest';
import { minuteWith } from './open-questions.ts';

test('open questions cost the same requests a minute however many they are, and launch nothing', async () => {
  const few = await minuteWith(10);
  expect(few).toMatchObject({ messages: 0, launches: 0 });
  expect(await minuteWith(1_000)).toEqual(few);
});

test('a job that waits for a worker beside them is seen', async () => {
  const { launches } = await minuteWith(10, { ready: 1 });
  expect(launches).toBeGreaterThan(0);
});
