import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { type TransitionContext, transition } from '../dispatch/transition.ts';
import { gateKey } from '../indexes/ready-keys.ts';
import type { Job } from '../lifecycle/job.ts';
import type { ReadPartition } from '../store/ready-partition.ts';

/** Questions that one run expires. The next run continues. */
const MOST = 500;

/**
 * Ends the waits whose deadline has passed. One read while none has, however many questions are open: the partition is
 * sorted by deadline.
 * @returns the jobs that failed for it
 */
export async function expireQuestions(
  context: TransitionContext & { readonly partition: ReadPartition },
): Promise<Job[]> {
  const failed: Job[] = [];
  const now = timestamp(context.clock.now());
  for await (const listed of context.partition(gateKey({ kind: 'question', key: 'open' }), { to: now, most: MOST })) {
    await skipDamaged(`job ${listed.id}`, async () => {
      const job = await context.jobs.find(listed.id);
      // The index may lag behind an answer.
      if (job === undefined || job === 'newer' || job.question === undefined) return;
      const result = await transition(context, job, { type: 'expire', id: job.question.id });
      if (result.done && result.job.status === 'FAILED') failed.push(result.job);
    });
  }
  return failed;
}
