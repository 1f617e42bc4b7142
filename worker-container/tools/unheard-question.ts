import { type TransitionContext, transition } from '../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { JobWatch } from './job-watch.ts';

/** A question whose call failed: it may be recorded, or be recorded late, and its agent does not wait for an answer. */
export interface UnheardQuestion {
  /** The agent asks it again: it stays if it is still open. @returns whether it was withdrawn */
  isWithdrawn(): Promise<boolean>;
}

/** Withdraws the question once the heartbeat reads it as open, so that nobody answers in vain. */
export function withdrawUnheard(
  context: TransitionContext,
  {
    job: { attempt },
    watch,
    onFailure,
  }: {
    readonly job: Pick<Job, 'attempt'>;
    readonly watch: JobWatch;
    readonly onFailure: (error: unknown) => void;
  },
  id: string,
): UnheardQuestion {
  const repeated = new AbortController();
  const isRecorded = ({ question }: Job) =>
    question?.id === id && (question.state === 'open' || question.state === 'withdrawn');
  const withdrawing = async (): Promise<boolean> => {
    for (;;) {
      const job = await watch.until(isRecorded, repeated.signal);
      if (job === undefined) return false;
      if (job.question?.state === 'withdrawn') return true;
      try {
        if ((await transition(context, job, { type: 'withdraw', attempt, id })).done) return true;
      } catch (error) {
        onFailure(error);
      }
    }
  };
  const done = withdrawing();
  return {
    async isWithdrawn() {
      repeated.abort();
      return await done;
    },
  };
}
