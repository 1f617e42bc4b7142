import { expect, it } from 'vitest';
import type { HeldPermit } from '../../lib/jobs/permit.ts';
import { PermitSource } from '../../worker-container/permit-source.ts';

const held: HeldPermit = {
  permit: { v: 1, band: 'low', project: 'p', job: 'job_00000000000000000000000001' },
  handle: 'handle',
  receives: 1,
};

it('a look for starving jobs that fails is told, and the queues are looked at all the same', async () => {
  const failures: unknown[] = [];
  let looks = 0;
  const source = new PermitSource({
    permits: {
      receive: async (band) => {
        looks += 1;
        // The first seven looks bring nothing and end in waits; the eighth asks which band starves.
        return looks > 48 && band === 'low' ? held : undefined;
      },
      extend: async () => undefined,
    },
    starvingBand: async () => {
      throw new Error('the table did not answer');
    },
    onFailure: (error) => failures.push(error),
  });
  expect(await source.next(new AbortController().signal)).toEqual(held);
  expect(failures).toEqual([new Error('the table did not answer')]);
});
