import { expect, it } from 'vitest';
import type { TransitionContext } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { JobWatch } from '../../../worker-container/tools/job-watch.ts';
import { withdrawUnheard } from '../../../worker-container/tools/unheard-question.ts';
import { aJob } from '../../lib/jobs/a-job.ts';

const settled = async () => await new Promise((resolve) => setImmediate(resolve));
const asking = (id: string, state: string) => ({ ...aJob({ attempt: 1 }), question: { id, state } }) as unknown as Job;

/** A question that was not heard, and what its withdrawal does. The context fails: no write succeeds. */
function unheard() {
  const watch = new JobWatch();
  const failures: unknown[] = [];
  const context = new Proxy({} as TransitionContext, {
    get: () => {
      throw new Error('DynamoDB is away');
    },
  });
  const about = { job: { attempt: 1 }, watch, onFailure: (error: unknown) => void failures.push(String(error)) };
  return { watch, failures, question: withdrawUnheard(context, about, 'q1') };
}

it('a question that is asked once more before it was read as open stays', async () => {
  const { watch, failures, question } = unheard();
  watch.hear(asking('another', 'open'));
  watch.hear(asking('q1', 'answered'));
  await settled();
  expect(await question.isWithdrawn()).toBe(false);
  expect(failures).toEqual([]);
});

it('a question that is withdrawn already is reported so', async () => {
  const { watch, question } = unheard();
  watch.hear(asking('q1', 'withdrawn'));
  await settled();
  expect(await question.isWithdrawn()).toBe(true);
});

it('a withdrawal that fails is reported and tried with the next heartbeat', async () => {
  const { watch, failures, question } = unheard();
  for (let beat = 0; beat < 2; beat += 1) {
    watch.hear(asking('q1', 'open'));
    await settled();
  }
  expect(failures).toEqual(['Error: DynamoDB is away', 'Error: DynamoDB is away']);
  expect(await question.isWithdrawn()).toBe(false);
});
