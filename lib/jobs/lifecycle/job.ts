import { createHash } from 'node:crypto';
import * as z from 'zod';
import { isKnown, knownOrLater, type LaterCode } from '../../contract/later-code.ts';
import { REASON_CODES } from '../../contract/schemas/job-state.ts';
import { AGENTS } from '../../contract/schemas/profile.ts';
import { isTerminal, STATUSES } from '../../contract/statuses.ts';
import { BANDS, type Band } from '../../platform/aws/tables.ts';
import { progressSchema } from '../receipts/progress.ts';
import { questionSchema } from '../receipts/question-record.ts';
import { usageSchema } from '../receipts/receipt.ts';

/** Vendor conditions that a job can wait for although it is QUEUED and due. */
export const PARK_REASONS = ['account_required', 'usage_limit'] as const;
export type ParkReason = (typeof PARK_REASONS)[number];

/** Resources of this deployment that a job can wait for: a free folder, or a free slot of its profile. */
export const BUSY_REASONS = ['folder_busy', 'profile_busy'] as const;

/**
 * Events that a job can wait for and that one action brings about: an answer, or the end of an earlier turn of its
 * thread. Nothing probes for them, and no release in bulk applies to them.
 */
export const AWAITED_REASONS = ['question', 'waiting_for_thread', 'thread_stopped'] as const;

/** All that a QUEUED job can be parked for. */
export const PARKINGS = [...PARK_REASONS, ...BUSY_REASONS, ...AWAITED_REASONS] as const;

/** Reasons of a QUEUED job that waits only for a worker. */
export const READY_REASONS = ['waiting_for_worker', 'retry_backoff', 'worker_lost'] as const;

/** A job as the table stores it: its state, and what summaries show. Prompts are stored beside it (`job-texts.ts`). */
export const jobItemSchema = z.object({
  id: z.string(),
  /** The schema that it was created with (`JOB_SCHEMA`); absent: 1, from before it was recorded. */
  schema: z.number().optional(),
  status: knownOrLater(STATUSES),
  reason: knownOrLater(REASON_CODES),
  project_id: z.string(),
  project: z.string(),
  profile: z.string(),
  /** The profile's agent at creation or edit, then the agent that ran; absent: an earlier version created the job. */
  agent: knownOrLater(AGENTS).optional(),
  model: z.string().optional(),
  priority: z.number(),
  /** Its project was hot when it was created: it waits in one of the project's ready partitions, by a hash of its id. */
  spread: z.boolean().optional(),
  timeout: z.number().optional(),
  retries: z.number(),
  cwd: z.string().optional(),
  prompt_preview: z.string(),
  /** Address of the prompt texts: a hash of their content. */
  texts: z.string(),
  idempotency_key: z.string().optional(),
  created_by: z.string(),
  /** The token that it, or the first of its ancestors, was created with; absent: no token. */
  token_id: z.string().optional(),
  parent_id: z.string().optional(),
  /** The job that a client copied this one from. */
  copied_from: z.string().optional(),
  /** Address of the title and tags (`job-labels.ts`); absent if it has neither. */
  labels: z.string().optional(),
  /** The job whose private folder this follow-up works in. Only the service sets it. */
  folder_of: z.string().optional(),
  /**
   * The thread that it belongs to, by the id of its first job; absent: nothing continues this job. `turn`: absent while
   * it is a draft, or its turn is being recorded.
   */
  thread_id: z.string().optional(),
  turn: z.number().optional(),
  /** The job that this one was created to continue. */
  continues: z.string().optional(),
  /** The job that this one forks, and the newest attempt of that job then: the copy is made as of that attempt. */
  forked_from: z.string().optional(),
  forked_attempt: z.number().optional(),
  /** The attempt that made the copy; absent: none is made, and the turns of the forked thread wait. */
  copied_by: z.number().optional(),
  /** It starts however the turn before it ended. */
  after_any: z.boolean().optional(),
  /** While it is parked in its thread: the job that it waits for. */
  waits_for: z.string().optional(),
  /** Its end, or the end of its deployments, may concern other turns of its thread, which have not been looked at. */
  thread_pending: z.boolean().optional(),
  /** How many follow-ups lie between this job and one that a client created; absent if none. */
  depth: z.number().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  queued_at: z.string().optional(),
  started_at: z.string().optional(),
  finished_at: z.string().optional(),
  /** A QUEUED job can't be claimed before this time. */
  due_at: z.string().optional(),
  /** Number of the newest attempt; it is also the attempt's fence. */
  attempt: z.number(),
  /** Failures of this round that led to another attempt. */
  retries_used: z.number().optional(),
  /** Losses of workers in this round. */
  losses: z.number().optional(),
  /** The attempt whose session the next attempt continues, or the running one was to continue. */
  resume_from: z.number().optional(),
  /** The attempt whose session the newest attempt continued; absent until that has ended. */
  resumed_from: z.number().optional(),
  /** The oldest attempt of the chain of attempts that continue one session. */
  resume_oldest: z.number().optional(),
  /** Milliseconds that the attempts of this chain have run; counted by the timeout. */
  ran_before: z.number().optional(),
  /** An attempt of this round started from the prompt because the CLI refused the session. */
  session_refused: z.boolean().optional(),
  /** Starts in this round with a login that was renewed meanwhile. */
  login_restarts: z.number().optional(),
  worker_id: z.string().optional(),
  lease_until: z.string().optional(),
  cancel_requested_at: z.string().optional(),
  kill_requested: z.boolean().optional(),
  watched_until: z.string().optional(),
  /** The newest question of its agent, and how many there were. */
  question: questionSchema.optional(),
  questions: z.number().optional(),
  /** What the agent of the running attempt reported last. */
  progress: progressSchema.optional(),
  parked: knownOrLater(PARKINGS).optional(),
  /** Name of the folder that this job waits for, or uses exclusively while it runs. */
  folder: z.string().optional(),
  /** Name of the profile slot that it uses while it runs; absent: the profile sets no `concurrency`. */
  place: z.string().optional(),
  /** This job probes whether other jobs need to stay parked for this reason. */
  probing: knownOrLater(PARK_REASONS).optional(),
  /** Succeeded attempts with follow-up jobs that may still be missing. */
  children_pending: z.array(z.number()).optional(),
  /** How many messages it has accepted; absent if none. */
  messages: z.number().optional(),
  /** It has ended, and what became of its messages may not be decided. */
  messages_pending: z.boolean().optional(),
  /** Succeeded attempts with pending deployments. */
  bindings_pending: z.array(z.number()).optional(),
  /** How often it was retried by request; absent: never. */
  round: z.number().optional(),
  /** Ids of the jobs that its agents have started by a tool. */
  tool_children: z.array(z.string()).optional(),
  /** `attempt.position` of each follow-up job, from which its id is derived. */
  follow_ups: z.array(z.string()).optional(),
  /** Follow-up requests of the newest attempt that were rejected, and why. */
  warnings: z.array(z.string()).optional(),
  /** The newest attempt's receipt records changes in its project's repository. */
  has_changes: z.boolean().optional(),
  /** What of the newest attempt could not be stored or reported, and why. */
  attempt_warnings: z.array(z.string()).optional(),
  error: z.string().optional(),
  exit_code: z.number().optional(),
  signal: z.string().optional(),
  session_id: z.string().optional(),
  /** Of the newest attempt that reported its usage. */
  usage: usageSchema.optional(),
  /** Of all attempts before that one. */
  earlier_usage: usageSchema.optional(),
  /** The model that the newest attempt reported, else the one it was started with; absent if neither is known. */
  model_used: z.string().optional(),
  stdout_bytes: z.number().optional(),
  stderr_bytes: z.number().optional(),
  /** It is being removed because of its age; clients no longer see it. */
  removing: z.boolean().optional(),
  /** Incremented by every decided change, not by heartbeats or watch marks; every change is conditional on it. */
  version: z.number(),
  /** Names the last decided change, so that its writer recognises it after an unknown answer. */
  change_id: z.string(),
  /** The `change_id` of the newest claim: it stays when later writes change the job. */
  claim_id: z.string().optional(),
});
export type Job = z.output<typeof jobItemSchema>;

/** Whether a job is parked because a resource of this deployment is busy. */
export function isBusy(parked: Job['parked']): parked is (typeof BUSY_REASONS)[number] {
  return parked === 'folder_busy' || parked === 'profile_busy';
}

/** Whether a job is parked until an event that one action brings about. */
export function isAwaiting(parked: Job['parked']): parked is (typeof AWAITED_REASONS)[number] {
  return parked !== undefined && isKnown(AWAITED_REASONS, parked);
}

/** Whether a job is parked in its thread. */
export function waitsInThread(parked: Job['parked']): parked is 'waiting_for_thread' | 'thread_stopped' {
  return parked === 'waiting_for_thread' || parked === 'thread_stopped';
}

/** Whether a job of a thread still has to get its turn. */
export function awaitsTurn({ status, parked, turn }: Pick<Job, 'status' | 'parked' | 'turn'>): boolean {
  return status === 'QUEUED' && waitsInThread(parked) && turn === undefined;
}

/** Whether a job is a fork whose copy is not made yet. */
export function lacksCopy({ forked_from, copied_by }: Pick<Job, 'forked_from' | 'copied_by'>): boolean {
  return forked_from !== undefined && copied_by === undefined;
}

/** The band in which a job of this priority waits. */
export function bandOf(job: Pick<Job, 'priority'>): Band {
  if (job.priority > 0) return BANDS[0];
  return job.priority === 0 ? BANDS[1] : BANDS[2];
}

/** The partitions of a list, by suffix: a job is in one of them by a hash of its id. Earlier versions used the first. */
const LIST_SUFFIXES = ['0', '1', '2', '3'] as const;

/** The partitions of the index by time. */
export function listKeys(): string[] {
  return LIST_SUFFIXES.map((suffix) => `jobs#${suffix}`);
}

/**
 * In the index by status, QUEUED jobs that await an event are in partitions apart: whatever looks for jobs that need a
 * worker reads none of them.
 */
const AWAITING_STATE = 'QUEUED-parked';
/** Those that await an answer are apart from those that await their thread, so that people find them. */
export const ASKING_STATE = 'QUEUED-question';

/** The state in whose partitions of the index by status a job is. */
function indexedState({ status, parked }: Pick<Job, 'status' | 'parked'>): string {
  if (status !== 'QUEUED' || !isAwaiting(parked)) return status;
  return parked === 'question' ? ASKING_STATE : AWAITING_STATE;
}

/**
 * The partitions of the index by status with the jobs in a state. SUCCEEDED jobs are only in the index by time.
 * @param options.awaiting whether those that await an event are included; default: they are
 */
export function statusKeys(status: Exclude<Job['status'], 'SUCCEEDED'>, { awaiting = true } = {}): string[] {
  const states = status === 'QUEUED' && awaiting ? [status, AWAITING_STATE, ASKING_STATE] : [status];
  return states.flatMap((state) => LIST_SUFFIXES.map((suffix) => `${state}#${suffix}`));
}

/** The partitions of the index by status with the jobs that await an answer. */
export function askingKeys(): string[] {
  return LIST_SUFFIXES.map((suffix) => `${ASKING_STATE}#${suffix}`);
}

function suffixOf({ id }: Pick<Job, 'id'>): string {
  const [byte = 0] = createHash('sha256').update(id).digest();
  return LIST_SUFFIXES[byte % LIST_SUFFIXES.length] ?? LIST_SUFFIXES[0];
}

/** Partition of the ready index with claimable jobs of a band and project: all of them, unless the project is hot. */
export function readyKey(band: Band, projectId: string, suffix: string = LIST_SUFFIXES[0]): string {
  return suffix === LIST_SUFFIXES[0] ? `${band}#${projectId}` : `${band}#${projectId}#${suffix}`;
}

/** The partitions of the ready index that only hot projects have, besides the one that all have. */
export function spreadReadyKeys(band: Band, projectId: string): string[] {
  return LIST_SUFFIXES.slice(1).map((suffix) => readyKey(band, projectId, suffix));
}

/** Partition of the ready index with ended jobs whose follow-up jobs may be missing. */
export const PENDING_CHILDREN_KEY = 'pending#children';

/** Partition of the ready index with ended jobs whose messages may not be settled. */
export const PENDING_MESSAGES_KEY = 'pending#messages';

/** Partition of the ready index with succeeded jobs that have pending deployments. */
export const PENDING_BINDINGS_KEY = 'pending#bindings';

/** Partition of the ready index with turns to record, and ends of turns that may concern others of their thread. */
export const PENDING_THREADS_KEY = 'pending#threads';

/** Partition of the ready index with the jobs parked for a reason, the one to be checked next first. */
export function parkedKey(reason: ParkReason | LaterCode): string {
  return `parked#${reason}`;
}

/** Partition of the ready index with the jobs that wait for a folder, the best first. */
export function folderKey(folder: string): string {
  return `parked#folder#${folder}`;
}

/** Partition of the ready index with the jobs that wait for a profile's slot, the best first. */
export function profileKey(profile: string): string {
  return `parked#profile#${profile}`;
}

/** Partition of the ready index with the jobs whose question is open, the one with the first deadline first. */
export const QUESTION_KEY = 'parked#question';

/** Partition of the ready index with the turns of a thread that wait for an earlier one, by turn. */
export function threadKey(threadId: string): string {
  return `parked#thread#${threadId}`;
}

/** The index keys of a job, all derived from its state. */
export function indexKeys(job: Job): {
  list_key: string;
  status_key?: string;
  ready_key?: string;
  ready_order?: string;
} {
  const suffix = suffixOf(job);
  const keys = {
    list_key: `jobs#${suffix}`,
    ...(job.status !== 'SUCCEEDED' && { status_key: `${indexedState(job)}#${suffix}` }),
  };
  if (isTerminal(job.status) && job.children_pending !== undefined)
    return { ...keys, ready_key: PENDING_CHILDREN_KEY, ready_order: job.finished_at ?? job.updated_at };
  if (isTerminal(job.status) && job.messages_pending !== undefined)
    return { ...keys, ready_key: PENDING_MESSAGES_KEY, ready_order: job.finished_at ?? job.updated_at };
  if (isTerminal(job.status) && job.bindings_pending !== undefined)
    return { ...keys, ready_key: PENDING_BINDINGS_KEY, ready_order: job.finished_at ?? job.updated_at };
  if (isTerminal(job.status) && job.thread_pending === true)
    return { ...keys, ready_key: PENDING_THREADS_KEY, ready_order: job.finished_at ?? job.updated_at };
  if (job.status !== 'QUEUED') return keys;
  return { ...keys, ...(job.parked === undefined ? readyPlace(job) : parkedPlace(job, job.parked)) };
}

interface ReadyPlace {
  readonly ready_key: string;
  readonly ready_order: string;
}

function readyPlace(job: Job): ReadyPlace {
  const suffix = job.spread === true ? suffixOf(job) : undefined;
  return { ready_key: readyKey(bandOf(job), job.project_id, suffix), ready_order: readyOrder(job) };
}

/** Each reason has a case, so that a new one can't get into the partition of another. */
function parkedPlace(job: Job, parked: NonNullable<Job['parked']>): ReadyPlace {
  const since = job.due_at ?? job.updated_at;
  if (!isKnown(PARKINGS, parked)) return { ready_key: parkedKey(parked), ready_order: since };
  switch (parked) {
    case 'account_required':
    case 'usage_limit':
      return { ready_key: parkedKey(parked), ready_order: since };
    case 'folder_busy':
      return { ready_key: folderKey(job.folder ?? ''), ready_order: readyOrder(job) };
    case 'profile_busy':
      return { ready_key: profileKey(job.profile), ready_order: readyOrder(job) };
    case 'question':
      return { ready_key: QUESTION_KEY, ready_order: since };
    case 'waiting_for_thread':
    case 'thread_stopped':
      if (job.turn === undefined) return { ready_key: PENDING_THREADS_KEY, ready_order: since };
      return { ready_key: threadKey(job.thread_id ?? job.id), ready_order: turnOrder(job.turn) };
  }
}

/** Sorts turns by their number. */
function turnOrder(turn: number): string {
  return String(turn).padStart(8, '0');
}

/** Sorts the highest priority first, then the longest wait. */
export function readyOrder(job: Pick<Job, 'priority' | 'queued_at' | 'created_at'>): string {
  const inverted = BigInt(Number.MAX_SAFE_INTEGER) - BigInt(job.priority);
  return `${inverted.toString().padStart(17, '0')}#${job.queued_at ?? job.created_at}`;
}
