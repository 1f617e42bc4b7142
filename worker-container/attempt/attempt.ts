import type { Logger } from '@aws-lambda-powertools/logger';
import type { RuleStore } from '../../lib/catalog/rules.ts';
import type { DiagramStore } from '../../lib/diagrams/diagram-store.ts';
import type { ClaimReads } from '../../lib/jobs/admission/claim.ts';
import type { ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { AgentSessionStore } from '../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import type { Attachment, AttachmentStore } from '../../lib/jobs/output/attachments/attachment-store.ts';
import type { OutputSources } from '../../lib/jobs/output/output-source.ts';
import type { Progress } from '../../lib/jobs/receipts/progress.ts';
import type { Receipt } from '../../lib/jobs/receipts/receipt.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import type { AfterAttemptContext } from '../../lib/reconciler/after-attempt.ts';
import type { AttemptLogin } from '../account/attempt-login.ts';
import type { CredentialFiles } from '../account/credential-files.ts';
import type { BashCommand, CommandEnd } from '../commands/bash-command.ts';
import type { Ending } from '../commands/ending.ts';
import type { SurvivorRule } from '../commands/process-tree.ts';
import type { SignalWatch } from '../heartbeat/signal-watch.ts';
import type { Timing } from '../output/timing.ts';
import type { RepositoryContext } from '../repository/job-repository.ts';
import type { Redaction } from '../secrets/redaction.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import type { JobWatch } from '../tools/job-watch.ts';
import type { WorkFolders } from '../workspace/work-folders.ts';
import type { AttemptClocks } from './attempt-clocks.ts';

/*
 * How an attempt goes. A worker has claimed a job; `runAttempt` takes the claim to a reported outcome:
 *
 * 1. Prepare (`prepare-agent.ts`): read profile, texts, rules and secrets; open the job's folder or worktree; put the
 *    session that the agent continues in place; serve its tools; compose the prompt; make the CLI's command.
 * 2. Start (`start-agent.ts`): start the process tree, and take in what it writes: it is read, masked, shipped, counted
 *    by the clocks and saved as the session.
 * 3. Finish (`finish-agent.ts`): wait until no process is alive; join the output; store session, changes and attachments;
 *    decide the outcome.
 * 4. Report (`attempt-report.ts`): write the receipt, then change the job under its fence, then run what follows.
 *
 * Two things can happen at any moment. Someone wants the attempt to end: a client, a clock, a full disk, a worker that
 * stops, a lost lease. All of them call `ending.request`; the first reason counts, and each phase either checks it or
 * waits for it. And something fails: a failure before the agent has started becomes the outcome (`outcomeOf` in
 * `run-attempt.ts`), or hands the job back if another worker may succeed. If not even that can be reported, the lease
 * expires, and whichever process finds it so takes the outcome from the receipt, or starts another attempt.
 *
 * A worker that has to release its job reports a handed-back attempt if it still can. One that has lost the job stores
 * nothing more: another attempt runs by then.
 */

/** One attempt of a claimed job: the same object for all four phases. */
export interface Attempt {
  /** The services, account and slot that the attempt runs with. Its log masks the attempt's secrets. */
  readonly worker: AttemptContext;
  readonly job: Job;
  readonly claim: Claim;
  /** What the claim has read of the job's profile, project and texts. */
  readonly reads: ClaimReads;
  /** Below it are all files of the attempt but those of the job's folder. */
  readonly folder: string;
  /** Collects the secrets that the attempt reads. */
  readonly redaction: Redaction;
  readonly ending: Ending;
  readonly startedAt: string;
}

/** What clients and the agent learn from each other while the claim is held. */
export interface Claim {
  /** The job as the heartbeat reads it. */
  readonly watch: JobWatch;
  /** Fires `watched` and `unwatched`, and `messages` if the job has accepted further ones. */
  readonly watched: EventTarget;
  /** Called with what the agent reports about its progress. */
  readonly onProgress: (progress: Progress) => void;
  /** Ids of the messages that the agent's session has got, for the receipt. */
  readonly seen: Set<string>;
}

/** An attempt on this machine, while its agent is prepared, runs and is finished. */
export interface AgentAttempt extends Attempt {
  /** Of every process of the attempt. */
  readonly mark: string;
  readonly files: AttemptFiles;
  readonly clocks: AttemptClocks;
  /** Lends folders to the attempt. */
  readonly lending: WorkFolders;
  /** Undefined: the agent does not use the linked account. */
  readonly login: AttemptLogin | undefined;
}

/** The files of one attempt, below its folder. */
export interface AttemptFiles {
  /** `$PROMPTQ_ATTACHMENTS` of the agent. */
  readonly attachments: string;
  /** The worker's additions, out of the agent's reach until it has ended. */
  readonly own: string;
  /** The CLI's configuration and scripts. The worker writes them, then gives the folder to the agent. */
  readonly agent: string;
  /** Variables for temporary files, settings and the like, all on this machine's disk. */
  readonly personal: Readonly<Record<string, string>>;
}

/** What keeps commands outside of attempts to the job that they are of, until it is closed. */
export interface OpenPersonal {
  /** Variables that lead to it. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
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
  /** Undefined: the agent never ran. */
  readonly sources: OutputSources | undefined;
  /** With masked names. */
  readonly attachments?: readonly Attachment[];
  readonly dispose: () => Promise<void>;
}

/** What an attempt needs from its worker. */
export interface AttemptContext extends AfterAttemptContext, RepositoryContext, SurvivorRule {
  readonly env: WorkerEnv;
  readonly rules: RuleStore;
  readonly diagrams: DiagramStore;
  readonly workerId: string;
  /** Says which jobs others have changed. */
  readonly signals: Pick<SignalWatch, 'listen'>;
  readonly attachments: AttachmentStore;
  readonly agentSessions: AgentSessionStore;
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
    /** Runs the agent until its output is stored. @throws Error with a plain message when it can't be started */
    readonly runAgent: (attempt: Attempt) => Promise<AttemptRun>;
    /** Default: this machine runs it. */
    readonly runCommand?: (run: BashCommand) => Promise<CommandEnd>;
    /** Default: folders on this machine's disk. */
    readonly openPersonal?: (context: object, job: Job, name: string) => Promise<OpenPersonal>;
  };
}

/** Creates and removes the folder of an attempt. A parameter, so that a simulation needs no disk. */
interface AttemptFolder {
  /**
   * Creates an empty folder, and removes what an earlier worker left there.
   * @param options.isPassable whether other accounts can reach their own files in it.
   * @returns its path: another one while an attempt of this worker that has lost its job still uses the folder
   */
  make(path: string, options: { readonly isPassable: boolean }): Promise<string>;
  remove(path: string): Promise<void>;
}
