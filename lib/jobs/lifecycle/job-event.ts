import type { RetryFrom } from '../../contract/job-actions.ts';
import type { LostUsage, Receipt } from '../receipts/receipt.ts';
import type { DeployEffect, Effect } from './effect.ts';
import type { EffectStep } from './effects.ts';
import type { Evidence } from './evidence.ts';
import type { Delegation, MadeFollowUps } from './follow-up-record.ts';
import type { Gate, ParkReason } from './gates.ts';
import type { Job, Question } from './job.ts';

/**
 * The turn that a job waits for: to end, or to be retried because it did not succeed (`stopped`). Or a fork of the
 * thread, whose copy is not made yet.
 */
export interface ThreadWait {
  readonly job: string;
  readonly stopped: boolean;
}

/** What can happen to a job. */
export type JobEvent =
  | { readonly type: 'submit' }
  | { readonly type: 'edit'; readonly changes: JobEdit }
  | { readonly type: 'edit_draft'; readonly changes: DraftEdit }
  | { readonly type: 'retry'; readonly from?: RetryFrom | undefined }
  /** The parking reason no longer applies. `probe`: it may still apply, and this job alone finds out. */
  | { readonly type: 'unpark'; readonly reason: NonNullable<Job['parked']>; readonly probe?: false }
  | { readonly type: 'unpark'; readonly reason: ParkReason; readonly probe: true }
  /** A gate that it has to pass has no room. */
  | { readonly type: 'wait'; readonly gate: Gate }
  /** Another job continues or forks it: it becomes the first turn of its thread. */
  | { readonly type: 'begin_thread' }
  /** Its turn was recorded. `wait`: the job that it waits for; absent: none. `afterEnd`: the turn before it had ended. */
  | { readonly type: 'take_turn'; readonly turn: number; readonly afterEnd: boolean; readonly wait?: ThreadWait }
  /** Another turn of its thread comes first. */
  | { readonly type: 'wait_for_thread'; readonly wait: ThreadWait }
  /** Its running attempt has copied what it forks. */
  | { readonly type: 'fork_copied'; readonly attempt: number }
  /** `folder`: name of the folder that it uses exclusively; `place`: name of its profile's slot. */
  | {
      readonly type: 'claim';
      readonly workerId: string;
      readonly folder?: string | undefined;
      readonly place?: string | undefined;
    }
  /** A client sends the agent a message. */
  | { readonly type: 'message' }
  | { readonly type: 'cancel' }
  /** The agent of the running attempt asks a person. */
  | { readonly type: 'ask'; readonly attempt: number; readonly question: Pick<Question, 'id' | 'due' | 'has_default'> }
  /** The agent of the running attempt does not wait for the answer to a question. */
  | { readonly type: 'withdraw'; readonly attempt: number; readonly id: string }
  /** `id`: the question's; `answer`: the name of the row with the answer. */
  | { readonly type: 'answer'; readonly id: string; readonly answer: string }
  /** The deadline of a question has passed. */
  | { readonly type: 'expire'; readonly id: string }
  | { readonly type: 'kill' }
  /** `deploys`: what deploy bindings of its project do after a success. */
  | { readonly type: 'end'; readonly receipt: Receipt; readonly deploys?: readonly DeployEffect[] }
  /**
   * `forgiven`: the table may have prevented the worker from renewing its lease, so the loss is not counted. `used`: as
   * far as the saved session shows it.
   */
  | { readonly type: 'lose'; readonly forgiven?: boolean; readonly used?: LostUsage | undefined }
  /** An attempt's follow-up jobs exist at these positions. `warnings`: why others do not. */
  | ({ readonly type: 'follow_up' } & MadeFollowUps)
  /** A reconciler runs an effect, or an effect is done. */
  | { readonly type: 'effect'; readonly effect: Effect; readonly step: EffectStep | 'done' }
  /** The agent of the running attempt starts a job by a tool. */
  | ({ readonly type: 'delegate' } & Delegation)
  /** A succeeded attempt is to be deployed again. */
  | { readonly type: 'deploy'; readonly attempt: number; readonly by: DeployEffect }
  /** Remove a job that ended before this time (RFC 3339). */
  | { readonly type: 'remove'; readonly endedBefore: string }
  /** Delete what the attempts of an ended job wrote. `by`: who asks. */
  | { readonly type: 'delete_output'; readonly by: string }
  /** The newest attempt's evidence was read again from its output. The job's state does not change. */
  | { readonly type: 'correct'; readonly attempt: number; readonly evidence: Evidence };

/** A decision: the next job, the same job (nothing to do), or the reason of a rejection. */
export type Decision = { readonly job: Job } | { readonly rejected: string };

/** Time (ms, by the table's clock) and randomness (0 to 1) of a decision. */
export interface Circumstances {
  readonly now: number;
  readonly random: () => number;
  /** Default: `PROBE_EVERY`. */
  readonly probeEvery?: Readonly<Record<ParkReason, number>> | undefined;
}

/** What an edit may change of a job's item. `undefined` removes the member. */
export type JobEdit = Partial<
  Pick<Job, 'profile' | 'agent' | 'priority' | 'retries' | 'texts' | 'prompt_preview'> & {
    model: string | undefined;
    timeout: number | undefined;
    cwd: string | undefined;
    folder_of: string | undefined;
    labels: string | undefined;
  }
>;

/** What an edit of a draft may change. No worker has seen a draft, so it may move to another project. */
export type DraftEdit = JobEdit & Partial<Pick<Job, 'project_id' | 'project'>>;
