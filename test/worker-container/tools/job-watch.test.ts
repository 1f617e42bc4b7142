import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { JobWatch } from '../../../worker-container/tools/job-watch.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';

it('the first job that is wanted is found, and no later one is tested', async () => {
  const watch = new JobWatch();
  const { signal } = new AbortController();
  const isWanted = vi.fn(({ attempt }: { readonly attempt: number }) => attempt === 2);
  const found = watch.until(isWanted, signal);
  for (const attempt of [1, 2]) watch.hear(aRunningJob({ attempt }));
  expect(await found).toMatchObject({ attempt: 2 });
  watch.hear(aRunningJob({ attempt: 3 }));
  expect([isWanted.mock.calls.length, getEventListeners(signal, 'abort')]).toEqual([2, []]);
});

it('waiting ends with the signal, even one that was given before', async () => {
  const watch = new JobWatch();
  const over = new AbortController();
  const waiting = watch.until(() => true, over.signal);
  over.abort();
  expect(await waiting).toBeUndefined();
  expect(await Promise.race([watch.until(() => true, over.signal), Promise.resolve('still waiting')])).toBeUndefined();
});
