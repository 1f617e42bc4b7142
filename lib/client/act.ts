import type { Client } from 'openapi-fetch';
import type { components, paths } from './api-types.ts';
import { dataOf } from './data-of.ts';
import { RequestError } from './errors.ts';
import { mayHaveTakenEffect, Retries, type RetryPolicy, unknownOutcome, unreadable } from './repeat.ts';

type Job = components['schemas']['Job'];
/** `cancelled_jobs`: how many jobs the request ended, by the answer to a cancel or kill. */
type ActedJob = Job & Partial<Pick<components['schemas']['CancelledJob'], 'cancelled_jobs'>>;

/** What an action takes. `tree`: cancel or kill all descendants too. */
export interface ActionOptions {
  readonly from?: RetryFrom | undefined;
  readonly tree?: boolean | undefined;
}

/** Where a retry begins. Default: `start`. */
type RetryFrom = 'start' | 'session';

export type ActionName = 'submit' | 'cancel' | 'kill' | 'retry';

/** Whether an action may have taken effect: compares the job before the first request, of which only `retry` needs to know, with it now. */
const HAS_TAKEN_EFFECT: Readonly<Record<ActionName, (now: Job, before: Job | undefined) => boolean>> = {
  // It also releases a turn whose thread has stopped.
  submit: (now) => now.status !== 'DRAFT' && now.state_reason.code !== 'thread_stopped',
  cancel: (now) => now.cancel_requested_at !== null || now.status === 'CANCELLED',
  // An earlier cancel may have been requested.
  kill: (now) => now.status === 'CANCELLED',
  retry: (now, before) => now.queued_at !== before?.queued_at,
};

const DONE: Readonly<Record<ActionName, string>> = {
  submit: 'submitted',
  cancel: 'cancelled',
  kill: 'killed',
  retry: 'retried',
};

/**
 * Acts on a job once. After a lost answer the job itself shows whether the request took effect: repeating it blindly could
 * start a second attempt.
 * @throws RequestError, UnreachableError, which says so if the request may have taken effect
 */
export async function act(
  api: Client<paths>,
  policy: RetryPolicy,
  { action, id, from, tree }: ActionOptions & { readonly action: ActionName; readonly id: string },
): Promise<ActedJob> {
  const params = { path: { id } };
  const read = async () => await dataOf(api.GET('/api/v1/jobs/{id}', { params }));
  const before = action === 'retry' ? await read() : undefined;
  const retries = new Retries(policy);
  for (let isLost = false; ; ) {
    try {
      return await dataOf(
        api.POST(`/api/v1/jobs/{id}/${action}`, {
          params,
          body: { ...(from !== undefined && { from }), ...(tree === true && { tree }) },
        }),
      );
    } catch (error) {
      if (tree === true) {
        // What has ended stays as it is, so a whole tree is cancelled by repeating the request.
        await retries.failed(error);
        continue;
      }
      const isRefused = isLost && error instanceof RequestError && error.status === 400;
      isLost ||= mayHaveTakenEffect(error, policy);
      try {
        if (!isRefused) await retries.failed(error);
        if (!isLost) continue;
        const now = await read().catch((failure: unknown) => {
          throw unreadable(failure, error);
        });
        if (HAS_TAKEN_EFFECT[action](now, before)) return now;
      } catch (failure) {
        if (!isLost) throw failure;
        const what = `the job was ${DONE[action]}; read job ${id} before you repeat it`;
        throw unknownOutcome(failure, policy, what);
      }
      if (isRefused) throw error;
    }
  }
}
