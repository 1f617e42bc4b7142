import * as z from 'zod';
import { knownOrLater, type LaterCode } from '../../contract/later-code.ts';
import { isTerminal, REASON_CODES, STATUSES } from '../../contract/schemas/job.ts';
import { AGENTS } from '../../contract/schemas/profile.ts';
import { BANDS, type Band } from '../../platform/aws/tables.ts';
import { usageSchema } from './receipt.ts';

/** What of the vendor's a job can wait for although it is QUEUED and due. */
export const PARK_REASONS = ['account_required', 'usage_limit'] as const;
export type ParkReason = (typeof PARK_REASONS)[number];

/** What of this deployment's own a job can wait for: that others leave its folder, or its profile. */
export const BUSY_REASONS = ['folder_busy', 'profile_busy'] as const;

/** All that a QUEUED job can be parked for. */
export const PARKINGS = [...PARK_REASONS, ...BUSY_REASONS] as const;

/** The reasons by which a job that is QUEUED waits for a worker alone. */
export const READY_REASONS = ['waiting_for_worker', 'retry_backoff', 'worker_lost'] as const;

/** A job as the table holds it: what changes, and what a summary shows. Prompts lie beside it (`job-texts.ts`). */
export const jobItemSchema = z.object({
  id: z.string(),
  /** What it was made by (`JOB_SCHEMA`); absent: 1, from before it was written down. */
  schema: z.number().optional(),
  status: knownOrLater(STATUSES),
  reason: knownOrLater(REASON_CODES),
  project_id: z.string(),
  project: z.string(),
  profile: z.string(),
  /** The profile's agent when the job was made or edited, then the one that ran; absent: made by an earlier version. */
  agent: knownOrLater(AGENTS).optional(),
  model: z.string().optional(),
  priority: z.number(),
  timeout: z.number().optional(),
  retries: z.number(),
  cwd: z.string().optional(),
  prompt_preview: z.string(),
  /** Address of the prompt texts: a hash of their content. */
  texts: z.string(),
  idempotency_key: z.string().optional(),
  created_by: z.string(),
  parent_id: z.string().optional(),
  /** The job that a client made this one from. */
  copied_from: z.string().optional(),
  /** Address of the title and tags (`job-labels.ts`); absent: it has neither. */
  labels: z.string().optional(),
  /** The job whose private folder this one works in, as its follow-up. Set by the service alone. */
  folder_of: z.string().optional(),
  /** How many follow-ups lie between this job and one that a client created; absent: none. */
  depth: z.number().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  queued_at: z.string().optional(),
  started_at: z.string().optional(),
  finished_at: z.string().optional(),
  /** A QUEUED job is not to be claimed before this. */
  due_at: z.string().optional(),
  /** Number of the newest attempt; it is also the attempt's fence. */
  attempt: z.number(),
  /** Failures of this round that were answered by another attempt. */
  retries_used: z.number().optional(),
  /** Losses of workers in this round. */
  losses: z.number().optional(),
  /** Starts of this round that met a login which was renewed meanwhile. */
  login_restarts: z.number().optional(),
  worker_id: z.string().optional(),
  lease_until: z.string().optional(),
  cancel_requested_at: z.string().optional(),
  kill_requested: z.boolean().optional(),
  watched_until: z.string().optional(),
  parked: knownOrLater(PARKINGS).optional(),
  /** Name of the folder that this job waits for, or has for itself while it runs. */
  folder: z.string().optional(),
  /** Name of the place of its profile that it has while it runs; absent: the profile sets no `concurrency`. */
  place: z.string().optional(),
  /** This job tries whether what jobs are parked for is over. */
  probing: knownOrLater(PARK_REASONS).optional(),
  /** Succeeded attempts whose follow-up jobs may not all be there yet. */
  children_pending: z.array(z.number()).optional(),
  /** Succeeded attempts with which the project's deploy bindings are not done. */
  bindings_pending: z.array(z.number()).optional(),
  /** `attempt.position` of each follow-up job, from which its id follows. */
  follow_ups: z.array(z.string()).optional(),
  /** What of the newest attempt's follow-ups was refused, and why. */
  warnings: z.array(z.string()).optional(),
  /** The newest attempt's receipt says what it changed in its project's repository. */
  has_changes: z.boolean().optional(),
  /** What of the newest attempt could not be kept or reported, and why. */
  attempt_warnings: z.array(z.string()).optional(),
  error: z.string().optional(),
  exit_code: z.number().optional(),
  signal: z.string().optional(),
  session_id: z.string().optional(),
  /** Of the newest attempt that said what it used. */
  usage: usageSchema.optional(),
  /** Of all attempts before that one. */
  earlier_usage: usageSchema.optional(),
  /** What the newest attempt said that it used, else what it was told to; absent: neither is known. */
  model_used: z.string().optional(),
  stdout_bytes: z.number().optional(),
  stderr_bytes: z.number().optional(),
  /** It is being removed for its age: for clients it is gone. */
  removing: z.boolean().optional(),
  /** Counts the decided changes (heartbeats and watch marks are none); every one is conditional on it. */
  version: z.number(),
  /** Names the last decided change, so that its writer recognises it after an unknown answer. */
  change_id: z.string(),
  /** The `change_id` of the newest claim: it stays when others change the job. */
  claim_id: z.string().optional(),
});
export type Job = z.output<typeof jobItemSchema>;

/** Whether a reason to be parked is that something of this deployment's own is busy. */
export function isBusy(parked: Job['parked']): parked is (typeof BUSY_REASONS)[number] {
  return parked === 'folder_busy' || parked === 'profile_busy';
}

/** A job of a priority waits in this band. */
export function bandOf(job: Pick<Job, 'priority'>): Band {
  if (job.priority > 0) return BANDS[0];
  return job.priority === 0 ? BANDS[1] : BANDS[2];
}

/** The one partition of each index; a suffix, so that it can be spread later. */
const SPREAD = '0';

/** Partition of the list's index by time. */
export const LIST_KEY = `jobs#${SPREAD}`;

/** Partition of the index by status. */
export function statusKey(status: Job['status']): string {
  return `${status}#${SPREAD}`;
}

/** Partition of the ready index that holds the jobs of a band and project which may be claimed. */
export function readyKey(band: Band, projectId: string): string {
  return `${band}#${projectId}`;
}

/** Partition of the ready index that holds the ended jobs whose follow-up jobs may not all be there yet. */
export const PENDING_CHILDREN_KEY = 'pending#children';

/** Partition of the ready index that holds the succeeded jobs with which deploy bindings are not done. */
export const PENDING_BINDINGS_KEY = 'pending#bindings';

/** Partition of the ready index that holds the jobs parked for a reason, the one to be looked at next first. */
export function parkedKey(reason: ParkReason | LaterCode): string {
  return `parked#${reason}`;
}

/** Partition of the ready index that holds the jobs which wait for a folder, the best first. */
export function folderKey(folder: string): string {
  return `parked#folder#${folder}`;
}

/** Partition of the ready index that holds the jobs which wait for a place of a profile, the best first. */
export function profileKey(profile: string): string {
  return `parked#profile#${profile}`;
}

/** The keys that place a job in the indexes; all of them follow from what the job is. */
export function indexKeys(job: Job): {
  list_key: string;
  status_key: string;
  ready_key?: string;
  ready_order?: string;
} {
  const keys = { list_key: LIST_KEY, status_key: statusKey(job.status) };
  if (isTerminal(job.status) && job.children_pending !== undefined)
    return { ...keys, ready_key: PENDING_CHILDREN_KEY, ready_order: job.finished_at ?? job.updated_at };
  if (isTerminal(job.status) && job.bindings_pending !== undefined)
    return { ...keys, ready_key: PENDING_BINDINGS_KEY, ready_order: job.finished_at ?? job.updated_at };
  if (job.status !== 'QUEUED') return keys;
  if (job.parked === 'folder_busy')
    return { ...keys, ready_key: folderKey(job.folder ?? ''), ready_order: readyOrder(job) };
  if (job.parked === 'profile_busy')
    return { ...keys, ready_key: profileKey(job.profile), ready_order: readyOrder(job) };
  if (job.parked !== undefined)
    return { ...keys, ready_key: parkedKey(job.parked), ready_order: job.due_at ?? job.updated_at };
  return { ...keys, ready_key: readyKey(bandOf(job), job.project_id), ready_order: readyOrder(job) };
}

/** Sorts the highest priority first, then the longest wait. */
function readyOrder(job: Pick<Job, 'priority' | 'queued_at' | 'created_at'>): string {
  const inverted = BigInt(Number.MAX_SAFE_INTEGER) - BigInt(job.priority);
  return `${inverted.toString().padStart(17, '0')}#${job.queued_at ?? job.created_at}`;
}
