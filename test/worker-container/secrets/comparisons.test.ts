import { expect, test } from 'vitest';
import { Comparisons } from '../../../worker-container/secrets/comparisons.ts';

test.for([
  ['that they consist of', 'a'.repeat(1_000)],
  ['that they repeat', 'aab'.repeat(300)],
  ['whose last character they lack', `${'a'.repeat(999)}b`],
])('bytes are compared at most twice with a secret %s', ([, secret = '']) => {
  let reads = 0;
  const counting = new Proxy(Buffer.from(secret.slice(0, -1).repeat(8)), {
    get(bytes, key) {
      if (key !== 'length') reads += 1;
      return Reflect.get(bytes, key);
    },
  });
  const comparisons = new Comparisons(counting);
  const spelling = Buffer.from(secret);
  for (let at = 0; at < counting.length; at += 1) comparisons.equalFrom(at, spelling);
  expect(reads).toBeLessThan(2.1 * counting.length);
});
