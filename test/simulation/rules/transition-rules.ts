import { isTerminal } from '../../../lib/contract/statuses.ts';
import { isReady } from '../../../lib/jobs/dispatch/transition.ts';
import { indexKeys } from '../../../lib/jobs/indexes/index-keys.ts';
import { attemptsDue } from '../../../lib/jobs/lifecycle/effects.ts';
import { isBusy, PARKINGS, READY_REASONS, waitsInThread } from '../../../lib/jobs/lifecycle/gates.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Actor } from '../model/client.ts';
import { evidenceOf } from '../worlds/agent.ts';
import { faultOfDeletion } from './deletion-rules.ts';
import { faultOfAsking, faultOfQuestion, isQuestionWrite } from './question-rules.ts';
import { faultOfResume } from './resume-rules.ts';
import { isThreadRecord } from './thread-rules.ts';

/** A write to a job as the table sees it, and what is known of the world at that moment. */
export interface JobWrite {
  readonly before: Job | undefined;
  readonly after: Job | undefined;
  readonly actor: Actor;
  /** The true time, milliseconds since 1970. */
  readonly wall: number;
  /** When the receipt of an attempt was written (ms since 1970). */
  readonly receiptAt: (jobId: string, attempt: number) => number | undefined;
  /** Whether the job's queue accepted a message for its current state after the job was last written. */
  readonly hasMessage: (job: Job) => boolean;
  /** Whether it is a job of an automation, or below one: a later job of the automation may replace it. */
  readonly isReplaceable: (job: Job) => boolean;
}

/** How wrong (ms) a clock may be that has been set by the table's answers. */
const CLOCK_ERROR = 1_100;

/** What is wrong with a write by the invariants; undefined: nothing. */
export function faultOfWrite(write: JobWrite): string | undefined {
  const { before, after } = write;
  if (after === undefined) return 'a job was removed';
  return (
    faultOfState(after) ??
    (before === undefined ? faultOfCreation(after, write) : faultOfChange(before, after, write)) ??
    (before !== undefined && isReady(after) && !isReady(before) && !write.hasMessage(after)
      ? 'a job was made ready before its message was sent'
      : undefined)
  );
}

const REASONS: Readonly<Record<string, readonly Job['reason'][]>> = {
  DRAFT: ['draft'],
  QUEUED: [...READY_REASONS, ...PARKINGS],
  RUNNING: ['running', 'cancelling'],
  SUCCEEDED: ['exited'],
  FAILED: ['exited', 'agent_error', 'timed_out', 'start_failed', 'output_limit', 'worker_lost', 'not_answered'],
  CANCELLED: ['cancelled_by_request', 'killed_by_request'],
};

/** What a job must be after any history. */
function faultOfState(job: Job): string | undefined {
  if (REASONS[job.status]?.includes(job.reason) !== true) return `${job.status} with the reason ${job.reason}`;
  if ((job.parked ?? job.reason) !== job.reason) return `parked as ${job.parked} with the reason ${job.reason}`;
  if (PARKINGS.some((reason) => reason === job.reason) !== (job.parked !== undefined))
    return `the reason ${job.reason} of a job that is ${job.parked === undefined ? 'not ' : ''}parked`;
  if ((job.reason === 'cancelling') !== (job.status === 'RUNNING' && job.cancel_requested_at !== undefined))
    return `the reason ${job.reason} says nothing true of a cancellation`;
  if ((job.status === 'RUNNING') !== (job.lease_until !== undefined))
    return `${job.status} ${job.lease_until === undefined ? 'without' : 'with'} a lease`;
  if (isTerminal(job.status) !== (job.finished_at !== undefined))
    return `${job.status}, finished_at ${job.finished_at}`;
  if (job.probing !== undefined && (job.parked !== undefined || !['QUEUED', 'RUNNING'].includes(job.status)))
    return `${job.status} and ${job.parked === undefined ? 'not ' : ''}parked while it tries`;
  const asking = faultOfAsking(job);
  if (asking !== undefined) return asking;
  const item: Record<string, unknown> = { ...job };
  const keys: Record<string, unknown> = { ready_key: undefined, ready_order: undefined, ...indexKeys(job) };
  const wrong = Object.keys(keys).find((name) => item[name] !== keys[name]);
  return wrong && `the index key ${wrong} is ${String(item[wrong])}, expected ${String(keys[wrong])}`;
}

const CREATORS: Readonly<Partial<Record<Job['cause']['kind'], readonly string[]>>> = {
  client: ['create'],
  schedule: ['watch', 'run automation'],
  hook: ['deliver', 'watch'],
  event: ['read feed', 'watch'],
};

/** A later job of an automation replaces earlier ones, with all that is below them. */
function replacers(job: Job, { isReplaceable }: JobWrite): readonly string[] {
  return isReplaceable(job) ? (CREATORS.schedule ?? []) : [];
}

function faultOfCreation(job: Job, { actor }: JobWrite): string | undefined {
  if (job.cause.kind === 'system')
    return [...FOLLOWERS, 'deploy'].includes(actor.doing) ? undefined : `created by ${actor.doing}`;
  const creators = CREATORS[job.cause.kind] ?? FOLLOWERS;
  if (!creators.includes(actor.doing)) return `created by ${actor.doing}`;
  return job.attempt === 0 && job.version === 1 ? undefined : 'created with a past';
}

function faultOfChange(before: Job, after: Job, write: JobWrite): string | undefined {
  if (after.version === before.version) return faultOfTouch(before, after, write);
  if (after.version !== before.version + 1) return `version ${before.version} became ${after.version}`;
  if (after.attempt !== before.attempt && before.status !== 'QUEUED')
    return 'a new attempt of a job that was not QUEUED';
  if (write.actor.doing === 'delete-output') return faultOfDeletion(before, after);
  if (after.session_id !== before.session_id && after.session_id !== evidenceOf(before, before.attempt))
    return `attempt ${before.attempt} ended with the evidence of ${after.session_id}`;
  const question = faultOfQuestion(before, after, write);
  if (question !== undefined) return question;
  if (write.actor.doing === 'say') return faultOfMessage(before, after);
  if (before.status === after.status && isThreadRecord(before, after))
    return by(...THREADERS, ...replacers(before, write), 'edit', 'deploy')(before, after, write);
  const resume = faultOfResume(before, after);
  if (resume !== undefined) return resume;
  if (isQuestionWrite(before, after)) return undefined;
  const isParked = before.parked === after.parked && !waitsInThread(after.parked);
  const isAsked = before.cancel_requested_at !== after.cancel_requested_at;
  if (before.status === after.status && FOLLOWERS.includes(write.actor.doing) && isParked && !isAsked)
    return faultOfRecord(before, after, write);
  const change = CHANGES[`${before.status} ${after.status}`];
  if (change === undefined) return `${before.status} became ${after.status}`;
  return change(before, after, write);
}

/** A message changes the count of messages, of a job that can still read it. */
function faultOfMessage(before: Job, after: Job): string | undefined {
  if (before.status !== 'QUEUED' && before.status !== 'RUNNING') return `a message to a job that is ${before.status}`;
  if (before.cancel_requested_at !== undefined) return 'a message to a job that is being cancelled';
  const others = new Set(['messages', 'version', 'change_id', 'updated_at', 'ready_order', 'touched']);
  const names = Object.keys({ ...before, ...after }).filter((name) => !others.has(name));
  const isOnlyCounted = names.every((name) => isSame(Reflect.get(before, name), Reflect.get(after, name)));
  return isOnlyCounted && after.messages === (before.messages ?? 0) + 1
    ? undefined
    : 'a message changed more than its count';
}

/** The actors that create follow-up jobs and release probes. */
const FOLLOWERS: readonly string[] = ['work', 'watch', 'reread'];

/** The actors that give jobs their turns, and continue threads after the ends of turns. */
const THREADERS: readonly string[] = [...FOLLOWERS, 'create', 'submit', 'cancel', 'kill', 'retry'];

/** Fields that may change without a state change. */
const RECORDS: ReadonlySet<keyof Job> = new Set([
  ...(['effects', 'follow_ups', 'warnings', 'copied_by', 'tool_children', 'shares_folder'] as const),
]);
const EVIDENCE: ReadonlySet<keyof Job> = new Set([
  'exit_code',
  'signal',
  'error',
  'session_id',
  'usage',
  'model_used',
  'attempt_warnings',
  'stdout_bytes',
  'stderr_bytes',
]);

function faultOfRecord(before: Job, after: Job, { actor }: JobWrite): string | undefined {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Job | 'ready_key')[];
  for (const name of changed) {
    if (name === 'ready_key' || isSame(Reflect.get(before, name), Reflect.get(after, name))) continue;
    if (['version', 'change_id', 'updated_at', 'ready_order', 'touched'].includes(name) || RECORDS.has(name)) continue;
    // A fork that has its copy gives up the folder that it has copied.
    if (name === 'folder' && before.copied_by !== after.copied_by && after.folder === undefined) continue;
    if (actor.doing === 'reread' && before.status !== 'RUNNING' && EVIDENCE.has(name)) continue;
    return `${name} was changed in ${before.status} by ${actor.doing}`;
  }
  return undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** What heartbeats and watch marks change. */
const UNDECIDED: ReadonlySet<string> = new Set(['lease_until', 'watched_until', 'touched']);

function faultOfTouch(before: Job, after: Job, { actor }: JobWrite): string | undefined {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Job>) {
    if (UNDECIDED.has(name) || before[name] === after[name]) continue;
    return `${name} changed without a new version`;
  }
  if (before.status !== 'RUNNING') return `a lease was touched in ${before.status}`;
  if (after.lease_until !== before.lease_until && actor.id !== before.worker_id)
    return `the lease of ${before.worker_id} was pushed by ${actor.id}`;
  return undefined;
}

type Judge = (before: Job, after: Job, write: JobWrite) => string | undefined;

const by =
  (...allowed: string[]): Judge =>
  (before, after, { actor }) =>
    allowed.includes(actor.doing) ? undefined : `${before.status} became ${after.status} by ${actor.doing}`;

const CHANGES: Readonly<Record<string, Judge>> = {
  'DRAFT QUEUED': by('submit'),
  'DRAFT CANCELLED': by('cancel', 'kill'),
  'QUEUED QUEUED': (before, after, write) => {
    if (waitsInThread(before.parked) || waitsInThread(after.parked))
      return by(...THREADERS, 'edit', 'deploy')(before, after, write);
    // The deadline of a question passes for a worker that has lost its job, too.
    if (before.parked === 'question') return by('answer', 'watch', 'work', 'edit')(before, after, write);
    // A worker parks a job for its folder or profile; a process that finds it free unparks it, an edit may name another.
    if (before.parked === undefined && isBusy(after.parked)) return by('work')(before, after, write);
    if (isBusy(before.parked) && after.parked === undefined)
      return by('work', 'watch', 'reread', 'kill', 'edit')(before, after, write);
    if (before.parked !== undefined && after.parked === undefined)
      return by('link', 'work', 'watch')(before, after, write);
    return by('edit')(before, after, write);
  },
  'QUEUED CANCELLED': (before, after, write) => {
    if (before.cause.kind === 'system') return by(...FOLLOWERS)(before, after, write);
    return by('cancel', 'kill', ...replacers(before, write))(before, after, write);
  },
  'QUEUED FAILED': (before, after, write) =>
    before.parked === 'question' && after.reason === 'not_answered'
      ? by('watch', 'work')(before, after, write)
      : `${before.reason} became ${after.reason}`,
  'QUEUED RUNNING': faultOfClaim,
  'RUNNING RUNNING': (before, after, write) => by('cancel', 'kill', ...replacers(before, write))(before, after, write),
  'RUNNING QUEUED': faultOfRequeue,
  'RUNNING SUCCEEDED': faultOfEnd,
  'RUNNING FAILED': faultOfEnd,
  'RUNNING CANCELLED': faultOfEnd,
  'SUCCEEDED QUEUED': by('retry'),
  'FAILED QUEUED': by('retry'),
  'CANCELLED QUEUED': by('retry'),
};

function faultOfClaim(before: Job, after: Job, { actor, wall }: JobWrite): string | undefined {
  if (after.attempt !== before.attempt + 1) return `attempt ${before.attempt} was followed by ${after.attempt}`;
  if (after.worker_id !== actor.id) return `claimed by ${actor.id} for ${after.worker_id}`;
  if (before.parked !== undefined) return 'a parked job was claimed';
  if (before.cancel_requested_at !== undefined) return 'a job that was asked to be cancelled was claimed';
  if (Date.parse(before.due_at ?? '') > wall + CLOCK_ERROR) return 'a job was claimed before it was due';
  return undefined;
}

function faultOfRequeue(before: Job, after: Job, write: JobWrite): string | undefined {
  if (before.cancel_requested_at !== undefined) return 'a job that was asked to be cancelled was queued again';
  const retries = (after.retries_used ?? 0) - (before.retries_used ?? 0);
  const losses = (after.losses ?? 0) - (before.losses ?? 0);
  // A lost job whose question is open waits for the answer.
  const lost = after.reason === 'question' ? losses : 0;
  const expected = { retry_backoff: [1, 0], worker_lost: [0, 1] }[after.reason as string] ?? [0, lost];
  if (retries !== expected[0] || losses !== expected[1])
    return `${after.reason} spent ${retries} retries and ${losses} losses`;
  if ((after.retries_used ?? 0) > before.retries) return 'more retries were spent than there are';
  return faultOfTakeover(before, after, write);
}

function faultOfEnd(before: Job, after: Job, write: JobWrite): string | undefined {
  if (before.cancel_requested_at !== undefined && after.status !== 'CANCELLED')
    return `a job that was asked to be cancelled became ${after.status}`;
  if (after.status === 'CANCELLED' && attemptsDue(after, 'follow_ups').includes(after.attempt))
    return 'follow-ups of a cancelled attempt are to be made';
  if (
    after.cause.kind !== 'system' &&
    after.status === 'SUCCEEDED' &&
    after.session_id !== evidenceOf(before, before.attempt)
  )
    return 'a success without evidence of this attempt';
  return faultOfTakeover(before, after, write);
}

/** An attempt is ended by its own worker, by its receipt, or when its lease is over and it left no receipt. */
function faultOfTakeover(before: Job, after: Job, write: JobWrite): string | undefined {
  const { actor, wall } = write;
  const isLoss =
    (after.losses ?? 0) !== (before.losses ?? 0) || (after.status === 'FAILED' && after.reason === 'worker_lost');
  const receiptAt = write.receiptAt(before.id, before.attempt);
  // The worker wrote the receipt when no process of the attempt was left: any process may apply it.
  if (!isLoss && (actor.id === before.worker_id || receiptAt !== undefined)) return undefined;
  const leaseUntil = Date.parse(before.lease_until ?? '');
  if (leaseUntil > wall + CLOCK_ERROR)
    return `the attempt of ${before.worker_id} was ended by ${actor.id} under its lease`;
  return isLoss && receiptAt !== undefined && receiptAt < leaseUntil - CLOCK_ERROR
    ? 'a loss was declared although there was a receipt'
    : undefined;
}
