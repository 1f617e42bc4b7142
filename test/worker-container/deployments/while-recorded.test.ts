import { expect, it } from 'vitest';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import { whileRecorded } from '../../../worker-container/deployments/while-recorded.ts';
import { virtualTiming } from '../output/virtual-timing.ts';

const RUNNING = { version: 3 } as JobDeployment;
const settled = async () => await new Promise((resolve) => setImmediate(resolve));

/** Commands that run until the test ends them, and each check's answer. */
function commands(answers: readonly (Partial<JobDeployment> | undefined | Error)[]) {
  const timing = virtualTiming();
  const end = Promise.withResolvers<string>();
  let checks = 0;
  const get = async () => {
    const answer = answers[Math.min(checks, answers.length - 1)];
    checks += 1;
    if (answer instanceof Error) throw answer;
    return answer as JobDeployment | undefined;
  };
  const over = { givenUp: false };
  const done = whileRecorded({ deployments: { get }, timing }, RUNNING, async (givenUp) => {
    givenUp.addEventListener('abort', () => {
      over.givenUp = true;
    });
    return await end.promise;
  });
  const pass = async (milliseconds: number) => {
    timing.advance(milliseconds);
    await settled();
  };
  return { timing, end, over, done, pass, checks: () => checks };
}

it('commands run as long as they are recorded, which is checked every fifteen seconds', async () => {
  const { pass, checks, over, end, done, timing } = commands([RUNNING, new Error('DynamoDB is away'), RUNNING]);
  await pass(14_999);
  expect(checks()).toBe(0);
  await pass(1);
  expect(checks()).toBe(1);
  await pass(15_000);
  await pass(15_000);
  expect([checks(), over.givenUp]).toEqual([3, false]);
  end.resolve('ended');
  expect(await done).toBe('ended');
  expect(timing.scheduled()).toBe(0);
});

it.each([
  ['has changed', { version: 4 }],
  ['is gone', undefined],
])('commands whose record %s are given up, and checked no more', async (_, record) => {
  const { pass, checks, over, end, done, timing } = commands([record]);
  await pass(15_000);
  expect([over.givenUp, timing.scheduled(), checks()]).toEqual([true, 0, 1]);
  end.reject(new Error('stopped'));
  await expect(done).rejects.toThrow('stopped');
});
