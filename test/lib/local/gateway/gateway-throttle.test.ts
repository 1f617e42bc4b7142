import { expect, it } from 'vitest';
import { throttle } from '../../../../lib/local/gateway/gateway-throttle.ts';

it('admits as many requests at once as the burst allows, then as many per second as the rate allows', () => {
  let now = 0;
  const isTooMany = throttle({ rate: 2, burst: 3 }, () => now);
  const passing = (requests: number) =>
    Array.from({ length: requests }, isTooMany).filter((refused) => !refused).length;
  expect(passing(5)).toBe(3);
  now += 499;
  expect(passing(5)).toBe(0);
  now += 1;
  expect(passing(5)).toBe(1);
  // However long nothing has come, no more than the burst is saved up.
  now += 3_600_000;
  expect(passing(50)).toBe(3);
});
