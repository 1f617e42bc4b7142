import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { cameThroughDistribution, originDigest } from '../../../lib/access/origin-secret.ts';

const admits = (secret: string | undefined, digests: readonly string[]) =>
  cameThroughDistribution({ 'x-promptq-origin': secret }, digests);

it('a request came through the distribution if it has one of the accepted secrets', () => {
  const digests = ['former', 'current'].map(originDigest);
  expect(digests[0]).toBe(createHash('sha256').update('former').digest('hex'));
  for (const secret of ['former', 'current']) expect(admits(secret, digests), secret).toBe(true);
  for (const secret of [undefined, '', 'next', ...digests]) expect(admits(secret, digests), secret).toBe(false);
  expect(admits('current', [])).toBe(false);
});
