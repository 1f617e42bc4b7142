import { isTerminal } from '../../contract/statuses.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { type TransitionContext, transition } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import type { Receipt } from '../receipts/receipt.ts';
import type { JobMessageStore } from '../store/job-messages.ts';

export interface SettleContext extends TransitionContext {
  readonly texts: { readonly messages: JobMessageStore };
  readonly readReceipt: (jobId: string, attempt: number) => Promise<Receipt | undefined>;
}

/**
 * Decides what became of the messages of a job that has ended. Safe to run concurrently and repeatedly. A job that was
 * retried meanwhile keeps its messages for the next attempt.
 * @returns the updated job
 */
export async function settleMessages(context: SettleContext, job: Job): Promise<Job> {
  if (job.messages_pending !== true || !isTerminal(job.status)) return job;
  const { messages } = context.texts;
  const open = (await messages.list(job.id)).filter(({ state }) => state === 'pending' || state === 'sent');
  const last = open.length === 0 ? undefined : await context.readReceipt(job.id, job.attempt);
  const reason = reasonOf(job, last);
  for (const row of open) {
    const receipt = row.attempt === undefined ? undefined : await context.readReceipt(job.id, row.attempt);
    const isDelivered = receipt?.messages?.includes(row.id) === true;
    await messages.change(
      job.id,
      row,
      isDelivered
        ? { state: 'delivered', delivered_at: timestamp(context.clock.now()) }
        : { state: 'not_delivered', reason },
    );
  }
  const settled = await transition(context, job, { type: 'messages_settled', messages: job.messages ?? 0 });
  return settled.done ? settled.job : job;
}

function reasonOf({ status }: Job, last: Receipt | undefined): string {
  if (status === 'CANCELLED') return 'the job was cancelled';
  return last?.drive === 'exec'
    ? 'the agent takes no messages while it runs, and the job ended'
    : 'the job ended first';
}
