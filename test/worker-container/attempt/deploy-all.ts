import { type ClaimContext, claim } from '../../../lib/jobs/admission/claim.ts';
import type { ReceivedMessage } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { openCommands } from '../../../lib/jobs/threads/running-bindings.ts';
import { runDueEffects } from '../../../lib/reconciler/after-attempt.ts';
import type { AttemptContext } from '../../../worker-container/attempt/attempt.ts';
import { runAttempt } from '../../../worker-container/attempt/run-attempt.ts';

/** Claims and runs the commands that bindings have for a success, until none can be claimed, as a worker does, and records them. */
export async function deployAll(
  worker: AttemptContext & ClaimContext,
  { id }: Pick<Job, 'id'>,
  stopping: AbortSignal = new AbortController().signal,
): Promise<void> {
  await runDueEffects(worker);
  while (!stopping.aborted) {
    const source = await worker.jobs.get(id, { consistent: true });
    const open = source === undefined ? [] : await openCommands(worker, source);
    const ready = open.flatMap(({ job }) => (typeof job === 'object' && job.status === 'QUEUED' ? [job] : []));
    const next = ready.find(({ parked }) => parked === undefined);
    if (next === undefined) return await runDueEffects(worker);
    const message = { v: 1, band: 'normal', project: next.project_id, job: next.id } as const;
    const received: ReceivedMessage = { message, handle: 'none', receives: 9, sentAt: 0 };
    const claimed = await claim(worker, received, worker.workerId);
    if (claimed.kind !== 'claimed') return await runDueEffects(worker);
    const context = { ...worker, reads: claimed.reads, acknowledge: async () => undefined };
    await runAttempt(context, claimed.job, received, stopping);
  }
}
