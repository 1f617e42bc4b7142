import { ApiError } from '../../contract/errors.ts';
import type { MessageCreation } from '../../contract/schemas/jobs/message.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { invalidState } from '../dispatch/act-on-job.ts';
import { MAX_ROUNDS, type TransitionContext } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import { decide } from '../lifecycle/lifecycle.ts';
import { requireUnderstood } from '../lifecycle/understood.ts';
import type { JobMessageStore } from '../store/job-messages.ts';
import { messageId } from './message-id.ts';

/** What accepting a message needs. */
interface AcceptContext extends Pick<TransitionContext, 'jobs' | 'clock' | 'random'> {
  readonly messages: JobMessageStore;
}

/**
 * Accepts a message for a job that is queued or running. The message is stored, and the job's count of messages rises,
 * in one transaction: an end of the job that came first rejects it, and one that comes later knows of it.
 * @param keyOwner whose idempotency keys count
 * @returns its id; `replayed` if a message with this key was accepted before, which differs in the fields `differs`
 * @throws ApiError `invalid_state` with `use`, the action to take instead; `invalid_request` for an agent that takes none
 */
export async function acceptMessage(
  context: AcceptContext,
  found: Job,
  { text, idempotency_key, only_now }: MessageCreation,
  sender: string,
  keyOwner: string = sender,
): Promise<{ readonly id: string; readonly replayed: boolean; readonly differs: string[] }> {
  const { messages } = context;
  const id = messageId(found.id, keyOwner, idempotency_key);
  let job: Job | undefined = found;
  for (let round = 0; round < MAX_ROUNDS && job !== undefined; round += 1) {
    // Also without a key: the write before may have been applied although its answer was lost.
    const known = idempotency_key !== undefined || round > 0 ? await messages.get(job.id, id) : undefined;
    if (known !== undefined) {
      const differs = [
        ...(known.text === text ? [] : ['text']),
        ...((known.only_now ?? false) === (only_now ?? false) ? [] : ['only_now']),
      ];
      return { id, replayed: idempotency_key !== undefined, differs };
    }
    requireUnderstood(job);
    const now = context.clock.now();
    const decision = decide(job, { type: 'message' }, { ...context, now });
    if ('rejected' in decision) throw refusal(job, decision.rejected);
    if (job.agent === 'shell')
      throw ApiError.because('invalid_request', 'the agent shell runs a script and takes no messages');
    const row = {
      id,
      number: decision.job.messages ?? 1,
      text,
      state: 'pending',
      created_at: timestamp(now),
      created_by: sender,
      ...(only_now === true && { only_now }),
    } as const;
    const written = await context.jobs.applyWith(job, decision.job, messages.creation(job.id, row));
    if (written.applied) return { id, replayed: false, differs: [] };
    job = written.current;
  }
  if (job === undefined) throw ApiError.of('job_not_found');
  throw ApiError.of('unavailable');
}

function refusal(job: Job, why: string): ApiError {
  const use = job.status === 'DRAFT' ? 'submit' : 'continue';
  const { message, details } = invalidState('message', job, why);
  // A running job that takes no more will end.
  return ApiError.because('invalid_state', message, { ...details, ...(job.status !== 'RUNNING' && { use }) });
}
