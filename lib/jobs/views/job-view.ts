import type * as z from 'zod';
import { isKnown } from '../../contract/later-code.ts';
import type { JobView, jobStatus, namedShape } from '../../contract/schemas/jobs/job.ts';
import type { jobSummary } from '../../contract/schemas/jobs/job-list.ts';
import { REASON_CODES, REASONS, type stateReason } from '../../contract/schemas/jobs/job-state.ts';
import { isTerminal } from '../../contract/statuses.ts';
import { addUsage } from '../../contract/usage.ts';
import type { TimeoutUnit } from '../../platform/config/core-env.ts';
import { timeoutMs } from '../../platform/config/timeout.ts';
import { followUpIds } from '../lifecycle/follow-up-record.ts';
import type { Job } from '../lifecycle/job.ts';
import { type Folders, ownerOfFolder, resolveFolder } from '../lifecycle/working-folder.ts';
import type { ListedJob } from '../store/job-index.ts';
import type { JobLabels } from '../store/job-labels.ts';
import type { JobTexts } from '../store/job-texts.ts';

/** A job with an explanation of why it waits, from sources other than its item. */
export type Annotated<J> = J & { readonly waiting_note?: string };

/** Why the job is in its state, as clients see it. */
export function viewReason(
  job: Annotated<Pick<Job, 'status' | 'reason' | 'error' | 'due_at' | 'waits_for' | 'question'>>,
): z.input<typeof stateReason> {
  // The agent still runs for a minute, in which an answer reaches it without a new attempt.
  if (job.status === 'RUNNING' && job.question?.state === 'open') return { code: 'question', ...REASONS.question };
  const { message, retryable } = describe(job);
  const awaited = job.waits_for === undefined ? undefined : `It waits for ${job.waits_for}.`;
  const known = job.status === 'FAILED' ? job.error : (job.waiting_note ?? awaited);
  return {
    code: job.reason,
    message: known === undefined ? message : `${message} ${known}`,
    retryable,
    ...(job.status === 'QUEUED' && job.due_at !== undefined && { next_check_at: job.due_at }),
  };
}

function describe({ status, reason }: Pick<Job, 'status' | 'reason'>): { message: string; retryable: boolean } {
  if (isKnown(REASON_CODES, reason)) return REASONS[reason];
  const message = `The service has no description of the reason ${reason}: a later version set it.`;
  // A waiting job continues under that later version; whether a job in another state can be retried is unknown.
  return { message, retryable: status === 'QUEUED' };
}

/** The compact status. */
export function viewStatus(job: Annotated<Job>): z.input<typeof jobStatus> {
  return {
    id: job.id,
    status: job.status,
    state_reason: viewReason(job),
    attempt: job.attempt,
    queued_at: job.queued_at ?? null,
    started_at: job.started_at ?? null,
    finished_at: job.finished_at ?? null,
    updated_at: job.updated_at,
    terminal: isTerminal(job.status),
  };
}

/** Values that only an attempt determines, as known so far. */
export function viewOutcome(job: Job) {
  return {
    exit_code: job.exit_code ?? null,
    signal: job.signal ?? null,
    error: job.error ?? null,
    usage: job.usage ?? null,
    session_id: job.session_id ?? null,
    stdout_bytes: job.stdout_bytes ?? 0,
    stderr_bytes: job.stderr_bytes ?? 0,
  };
}

type ThreadMember = 'thread_id' | 'turn' | 'continues' | 'forked_from';

/** The names and settings of a job that are known. */
function viewNamed(
  job: Partial<Pick<Job, 'agent' | 'model_used' | 'timeout' | 'copied_from' | 'automation' | ThreadMember>> &
    Pick<Job, 'id' | 'status'>,
  { title, tags }: JobLabels,
  unit: TimeoutUnit,
): Pick<JobView, keyof typeof namedShape> {
  const milliseconds = timeoutMs(job.timeout, unit);
  return {
    title: title ?? null,
    tags: tags ?? [],
    agent: job.agent ?? null,
    model_used: job.model_used ?? null,
    timeout_effective_seconds: milliseconds === undefined ? null : milliseconds / 1000,
    copied_from: job.copied_from ?? null,
    thread_id: job.thread_id ?? job.id,
    turn: job.turn ?? (job.thread_id === undefined && job.status !== 'DRAFT' ? 1 : null),
    continues: job.continues ?? null,
    forked_from: job.forked_from ?? null,
    automation: job.automation ?? null,
  };
}

/** Values that are stored beside a job's item. */
interface BesideJob {
  /** Absent: the folder is not shown. */
  readonly keeping?: Keeping;
  readonly labels?: JobLabels;
  readonly deployments: JobView['deployments'];
  readonly changes?: JobView['changes'];
  readonly queue?: JobView['queue'];
  readonly attempts?: JobView['attempts'];
}

/** The job with all its fields. */
export function viewJob(
  job: Annotated<Job>,
  texts: JobTexts,
  timeoutUnit: TimeoutUnit,
  { labels = {}, deployments, keeping, changes = null, queue = null, attempts = null }: BesideJob,
): JobView {
  const { terminal: _terminal, ...lifecycle } = viewStatus(job);
  return {
    ...lifecycle,
    ...viewNamed(job, labels, timeoutUnit),
    prompt: texts.prompt,
    base_prompt: texts.prompt,
    extra_prompt: texts.extra_prompt ?? null,
    rule_ids: texts.rule_ids ?? [],
    profile: job.profile,
    model: job.model ?? null,
    priority: job.priority,
    timeout: job.timeout ?? null,
    timeout_unit: timeoutUnit,
    retries: job.retries,
    cwd: job.cwd ?? null,
    ...viewFolder(job, keeping),
    project_id: job.project_id,
    project: job.project,
    idempotency_key: (job.cause.kind === 'client' ? job.cause.key : undefined) ?? null,
    save_draft: job.status === 'DRAFT',
    draft: job.status === 'DRAFT',
    created_at: job.created_at,
    cancel_requested_at: job.cancel_requested_at ?? null,
    created_by: job.created_by,
    ...viewPlace(job),
    follow_up_ids: followUpIds(job),
    worker_id: job.worker_id ?? null,
    ...viewOutcome(job),
    total_usage: job.usage === undefined ? null : addUsage(job.usage, job.earlier_usage),
    version: job.version,
    output_deleted_at: job.output_deleted?.at ?? null,
    output_deleted_by: job.output_deleted?.by ?? null,
    output_deleted_attempt: job.output_deleted?.attempt ?? null,
    warnings: [
      ...(job.session_refused === true ? [SESSION_REFUSED] : []),
      ...(job.attempt_warnings ?? []),
      ...(job.warnings ?? []),
      ...viewFailures(job),
    ],
    template: viewTemplate(texts),
    resume_from: job.resume_from ?? null,
    progress: viewProgress(job),
    question: job.question === undefined ? null : viewQuestion(job.question),
    deployments,
    changes,
    queue,
    attempts,
  };
}

function viewTemplate({ from }: JobTexts): JobView['template'] {
  return from === undefined ? null : { name: from.name, version: from.version, parameters: from.parameters };
}

/** Its place in its tree. */
function viewPlace({ ancestors = [] }: Pick<Job, 'ancestors'>): Pick<JobView, 'parent_id' | 'root_id'> {
  return { parent_id: ancestors.at(-1)?.id ?? null, root_id: ancestors[0]?.id ?? null };
}

/** Where jobs work, and for how many days after their end folders and jobs are kept; 0: always. */
interface Keeping {
  readonly folders: Folders;
  readonly workspaceDays: number;
  readonly retentionDays: number;
}

const DAY_MS = 86_400_000;

function viewFolder(
  job: Job,
  keeping: Keeping | undefined,
): Pick<JobView, 'folder' | 'folder_kept_until' | 'files_kept_until'> {
  if (keeping === undefined) return { folder: null, folder_kept_until: null, files_kept_until: null };
  const { folders, workspaceDays, retentionDays } = keeping;
  const folder = resolveFolder(folders, job);
  const isDeleted = ownerOfFolder(folders, job) !== undefined;
  const end = isTerminal(job.status) && job.finished_at !== undefined ? Date.parse(job.finished_at) : undefined;
  const until = (days: number) =>
    end === undefined || days === 0 ? null : new Date(end + days * DAY_MS).toISOString();
  return {
    folder: job.status !== 'DRAFT' && 'path' in folder ? folder.path : null,
    folder_kept_until: isDeleted ? until(workspaceDays) : null,
    files_kept_until: until(retentionDays),
  };
}

function viewQuestion({ id, state, due }: NonNullable<Job['question']>): JobView['question'] {
  return { id, state, deadline: due };
}

function viewProgress({ status, progress }: Job): JobView['progress'] {
  return status === 'RUNNING' && progress !== undefined ? { ...progress, percent: progress.percent ?? null } : null;
}

const SESSION_REFUSED = 'session_refused: the CLI or the vendor refused the saved session; the job started a new one';

/** A list entry. */
export function viewSummary(
  { details, ...job }: Annotated<ListedJob>,
  labels: JobLabels,
  timeoutUnit: TimeoutUnit,
): z.input<typeof jobSummary> {
  return {
    id: job.id,
    status: job.status,
    state_reason: viewReason({
      ...job,
      error: details.error,
      waits_for: details.waits_for,
      question: details.question,
    }),
    project_id: job.project_id,
    project: job.project,
    ...viewNamed({ ...details, id: job.id, status: job.status }, labels, timeoutUnit),
    created_by: details.created_by ?? null,
    profile: job.profile,
    model: job.model ?? null,
    priority: job.priority,
    cwd: job.cwd ?? null,
    prompt_preview: job.prompt_preview,
    attempt: job.attempt,
    exit_code: details.exit_code ?? null,
    signal: details.signal ?? null,
    ...viewPlace(details),
    created_at: job.created_at,
    queued_at: job.queued_at ?? null,
    started_at: job.started_at ?? null,
    finished_at: job.finished_at ?? null,
    cancel_requested_at: job.cancel_requested_at ?? null,
  };
}

/** What was to follow its end and has failed so far. */
function viewFailures({ effects = [] }: Job): string[] {
  return effects.flatMap(({ name, failures = 0, due_at }) => {
    if (failures === 0) return [];
    const times = failures === 1 ? 'once' : `${failures} times`;
    return [`${name.replaceAll('_', ' ')}: failed ${times} after the job's end; next try at ${due_at}`];
  });
}
