import { expect, it } from 'vitest';
import { gathered } from '../../../lib/platform/gather-calls.ts';

it('makes one call for all that ask in the same turn, and another for who asks once it has begun', async () => {
  const calls: string[][] = [];
  const first = Promise.withResolvers<string>();
  const ask = gathered(async (asked: readonly string[]) => {
    calls.push([...asked]);
    return calls.length === 1 ? await first.promise : 'second';
  });
  const together = [ask('a'), ask('b')];
  await Promise.resolve();
  const late = ask('c');
  first.resolve('first');
  expect(await late).toBe('second');
  expect(await Promise.all(together)).toEqual(['first', 'first']);
  expect(calls).toEqual([['a', 'b'], ['c']]);
});

it('fails for all that asked, and asks again the next time', async () => {
  let calls = 0;
  const ask = gathered(async () => {
    calls += 1;
    if (calls === 1) throw new Error('not now');
    return calls;
  });
  expect(await Promise.allSettled([ask(1), ask(2)])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  expect(await ask(3)).toBe(2);
});
