import { expect, it } from 'vitest';
import { NoSuchKey, NotFound } from '../../../../lib/platform/aws/objects/objects-on-demand.ts';

it('an object is missing if the store says so, and not if it fails', () => {
  const missing = Object.assign(new Error('no such key'), { name: 'NoSuchKey' });
  expect([missing instanceof NoSuchKey, missing instanceof NotFound]).toEqual([true, false]);
  expect(new Error('the store is not available') instanceof NoSuchKey).toBe(false);
});
