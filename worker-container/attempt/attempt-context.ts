import type { Logger } from '@aws-lambda-powertools/logger';
import type { S3Client } from '@aws-sdk/client-s3';
import type { RuleStore } from '../../lib/catalog/rules.ts';
import type { ClaimReads } from '../../lib/jobs/admission/claim.ts';
import type { ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { AgentSessionStore } from '../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import type { Attachment, AttachmentStore } from '../../lib/jobs/output/attachments/attachment-store.ts';
import type { OutputSources } from '../../lib/jobs/output/output-source.ts';
import type { OutputStore } from '../../lib/jobs/output/output-store.ts';
import type { Progress } from '../../lib/jobs/receipts/progress.ts';
import type { Receipt } from '../../lib/jobs/receipts/receipt.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import type { AfterAttemptContext } from '../../lib/reconciler/after-attempt.ts';
import type { CredentialFiles } from '../account/credential-files.ts';
import type { BashCommand, CommandEnd } from '../commands/bash-command.ts';
import type { Ending } from '../commands/ending.ts';
import type { SurvivorRule } from '../commands/process-tree.ts';
import type { Timing } from '../output/timing.ts';
import type { RepositoryContext } from '../repository/job-repository.ts';
import type { Redaction } from '../secrets/redaction.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import type { JobWatch } from '../tools/job-watch.ts';
import type { AttemptFolder } from './attempt-folder.ts';

/** What an attempt needs from its worker. */
export interface AttemptContext extends AfterAttemptContext, RepositoryContext, SurvivorRule {
  readonly env: WorkerEnv;
  readonly rules: RuleStore;
  readonly workerId: string;
  readonly output: OutputStore;
  readonly attachments: AttachmentStore;
  readonly agentSessions: AgentSessionStore;
  readonly objects: S3Client;
  /** Prefix of the mark of every process of this worker. */
  readonly markPrefix: string;
  readonly log: Logger;
  /** The account reserved for the slot's processes. Default: this process's user. */
  readonly account?: ServiceAccount | undefined;
  /** The number of the slot, unique among the running jobs of the worker. Default: 0. */
  readonly slot?: number;
  /** The login of the vendor account. */
  readonly credentials?: CredentialFiles | undefined;
  /** Called with the id of each job that this worker claimed or reported. Default: it is dropped. */
  readonly onChange?: (jobId: string) => void;
  /** Called when the attempt can't start for lack of processes, descriptors or memory. Default: nothing is done. */
  readonly onShortage?: () => void;
  /** Deletes the message of an attempt that has ended, now or soon. Default: at once. */
  readonly acknowledge?: (received: ReceivedMessage) => Promise<void>;
  /** Time for timers and pauses, never for records. Default: this machine's. */
  readonly timing?: Timing;
  /** The effects of attempts and of bindings' commands on their machine. Default: this machine. */
  readonly machine?: {
    readonly folder: AttemptFolder;
    readonly runAgent: RunAgent;
    /** Default: this machine runs it. */
    readonly runCommand?: (run: BashCommand) => Promise<CommandEnd>;
  };
}

/** The result of running an attempt, before it is reported. */
export type AttemptRecord = Pick<
  Receipt,
  | 'outcome'
  | 'agent'
  | 'drive'
  | 'granted'
  | 'model'
  | 'session_id'
  | 'usage'
  | 'usage_from'
  | 'resumed_from'
  | 'chain'
  | 'messages'
  | 'final_message'
  | 'composed_prompt'
  | 'follow_ups'
  | 'streams'
  | 'attachments'
  | 'changes'
  | 'warnings'
>;

/** An attempt that has run, with its output still at hand. */
export interface AttemptRun {
  readonly record: AttemptRecord;
  readonly sources: OutputSources;
  readonly attachments?: readonly Attachment[];
  readonly dispose: () => Promise<void>;
}

/** The surroundings of an attempt. */
export interface AttemptSurroundings {
  readonly reads: ClaimReads;
  readonly attemptDir: string;
  readonly ending: Ending;
  /** Collects the secrets that are read here. */
  readonly redaction: Redaction;
  /** Called with what the agent reports about its progress. */
  readonly onProgress: (progress: Progress) => void;
  /** Collects the ids of the messages that the agent's session has got, for the receipt. */
  readonly seen: Set<string>;
  /** The job as the heartbeat reads it. */
  readonly job: JobWatch;
  /** Fires `watched` and `unwatched`, and `messages` if the job has accepted further ones. */
  readonly watched: EventTarget;
}

/** Runs the profile's agent on a job. @throws Error with a plain message when it can't be started */
type RunAgent = (
  context: AttemptContext & { readonly log: Logger },
  job: Job,
  surroundings: AttemptSurroundings,
) => Promise<AttemptRun>;
