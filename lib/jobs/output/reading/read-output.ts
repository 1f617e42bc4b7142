import type { Readable } from 'node:stream';
import type { RuleStore } from '../../../catalog/rules.ts';
import { composePrompt } from '../../../contract/compose-prompt.ts';
import { InvalidFieldError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/aws/table-clock.ts';
import { timestamp } from '../../../platform/aws/table-clock.ts';
import type { Job } from '../../lifecycle/job.ts';
import type { DocumentName, Receipt, StreamName } from '../../receipts/receipt.ts';
import type { JobStore } from '../../store/job-store.ts';
import type { JobTextStore } from '../../store/job-texts.ts';
import { asOfAttempt, asOfNewestAttempt } from '../../views/attempt-view.ts';
import type { Attachment, AttachmentStore } from '../attachments/attachment-store.ts';
import {
  compared,
  createCompared,
  type OutputState,
  type RecordedStreams,
  recordedStreams,
} from '../compared-output.ts';
import { NOTHING } from '../live-output.ts';
import type { OutputStore } from '../output-store.ts';
import { readableReceipt } from '../readable-receipt.ts';
import {
  type LogsRequest,
  logsDocument,
  resultDocument,
  resultMembers,
  type Sources,
  streamsOf,
} from './output-answer.ts';
import { requireKept } from './require-kept.ts';

/** Dependencies for reading output. */
export interface OutputContext {
  readonly jobs: JobStore;
  readonly texts: JobTextStore;
  readonly rules: RuleStore;
  readonly output: OutputStore;
  readonly attachments: AttachmentStore;
  readonly clock: Clock;
}

/** The answer, or its location because it is too large to stream through Lambda. */
export type OutputAnswer = { readonly body: Readable } | { readonly location: string };

/** How long a client's watch mark makes the worker ship at once, unless the client sets a time. */
const WATCH_MARK_MS = 30_000;

/**
 * `GET /result` of a job, or of an earlier attempt.
 * @throws InvalidFieldError if the attempt does not exist; ApiError `output_deleted`
 */
export async function readResult(
  context: OutputContext,
  known: Job,
  { full, attempt = known.attempt }: { full: boolean; attempt?: number | undefined },
): Promise<OutputAnswer> {
  requireAttempt(known, attempt);
  const { receipt, state: receiptState } = await receiptOf(context, known, attempt);
  const isNewest = attempt === known.attempt;
  const job = isNewest ? asOfNewestAttempt(known, receipt) : asOfAttempt(known, attempt, receipt);
  const document = full ? await documentLocation(context, job, receipt, 'result') : undefined;
  if (document?.location !== undefined) return { location: document.location };
  // The texts may have been edited since an earlier attempt.
  const composedPrompt = receipt?.composed_prompt ?? (isNewest ? await composedNow(context, job) : null);
  const ended = job.status !== 'RUNNING';
  const recorded = ended ? recordedStreams(job, job.attempt, receipt) : {};
  const sources = await sourcesOf(context, job, job.attempt, { streams: streamsOf('all'), recorded });
  const attached = await attachmentsOf(context, job, receipt, receiptState);
  const members = resultMembers(job, { receipt, composedPrompt, receiptState, ...attached });
  return { body: resultDocument(members, sources, { full: full && document === undefined, ended }) };
}

/**
 * `GET /logs` of a job.
 * @throws InvalidFieldError if the attempt does not exist, and for an offset without a single stream
 */
export async function readLogs(
  context: OutputContext,
  job: Job,
  request: LogsRequest & { readonly attempt: number | undefined },
): Promise<OutputAnswer> {
  const attempt = request.attempt ?? job.attempt;
  requireAttempt(job, attempt);
  requireOneStream(request);
  const { receipt } = await receiptOf(context, job, attempt);
  let { full } = request;
  if (full && request.offset === undefined) {
    const name = request.stream === 'all' ? 'result' : (`logs-${request.stream}` as const);
    const document = await documentLocation(context, job, receipt, name);
    if (document?.location !== undefined) return { location: document.location };
    full = document === undefined;
  }
  const live = job.status === 'RUNNING' && attempt === job.attempt;
  if (live) await markWatched(context, job);
  const recorded = live ? {} : recordedStreams(job, attempt, receipt);
  const streams = streamsOf(request.stream);
  const sources = await sourcesOf(context, job, attempt, { streams, recorded, from: request.offset });
  return { body: logsDocument(job, attempt, sources, { ...request, full }, { ended: !live }) };
}

function requireAttempt(job: Job, attempt: number): void {
  requireKept(job, attempt);
  if (attempt <= job.attempt) return;
  throw InvalidFieldError.of('attempt', `received ${attempt}; the job's newest attempt is ${job.attempt}`);
}

/** @throws InvalidFieldError for an offset without the stream that it belongs to */
export function requireOneStream({ offset, stream }: Pick<LogsRequest, 'offset' | 'stream'>): void {
  if (offset === undefined || stream !== 'all') return;
  throw InvalidFieldError.of('offset', 'is a byte of one stream; give stream=stdout or stream=stderr with it');
}

/** The prompt of an attempt that begins now; without a receipt, the best approximation. */
async function composedNow({ texts, rules }: OutputContext, job: Job): Promise<string> {
  const jobTexts = await texts.get(job);
  const known = await rules.get(jobTexts.rule_ids ?? []);
  return composePrompt(
    known.rules.map(({ text }) => text),
    jobTexts,
  );
}

/** The receipt of an attempt that has ended, and its state; no state if the attempt has not ended. */
async function receiptOf(
  { output }: Pick<OutputContext, 'output'>,
  job: Job,
  attempt: number,
): Promise<{ readonly receipt?: Receipt; readonly state?: OutputState }> {
  if (attempt === 0 || (job.status === 'RUNNING' && attempt === job.attempt)) return {};
  return await readableReceipt(output, job.id, attempt);
}

/** The attachments, which may exist even if the receipt that counts them is gone. */
async function attachmentsOf(
  { attachments: store }: OutputContext,
  job: Job,
  receipt: Receipt | undefined,
  receiptState: OutputState | undefined,
): Promise<{ readonly attachments: readonly Attachment[]; readonly attachmentsState?: OutputState }> {
  const count = receipt?.attachments?.count;
  if (receiptState === undefined || (receipt !== undefined && count === undefined)) return { attachments: [] };
  const { attachments, isReadable } = await store.find(job.id, job.attempt);
  const isLess = count !== undefined && attachments.length < count;
  const state = !isReadable ? 'corrupt' : isLess ? 'missing' : count === undefined ? undefined : 'complete';
  return { attachments, ...(state !== undefined && { attachmentsState: state }) };
}

/**
 * The location of a document that the attempt wrote because it is too large to stream through Lambda. undefined: it
 * wrote none. Without a location: it is gone, and no complete answer is possible.
 */
async function documentLocation(
  context: OutputContext,
  job: Job,
  receipt: Receipt | undefined,
  document: DocumentName,
): Promise<{ readonly location?: string } | undefined> {
  if (!receipt?.documents.includes(document)) return undefined;
  const { attempt } = receipt;
  if (!(await context.output.hasDocument(job.id, attempt, document))) return {};
  return { location: await context.output.presignDocument(job.id, attempt, document, LIMITS.redirectSeconds) };
}

async function sourcesOf(
  { output }: OutputContext,
  job: Job,
  attempt: number,
  options: {
    readonly streams: readonly StreamName[];
    readonly recorded: RecordedStreams;
    readonly from?: number | undefined;
  },
): Promise<Sources> {
  const { streams, recorded, from = 0 } = options;
  const open = async (stream: StreamName) => {
    if (attempt === 0) return [stream, compared(NOTHING, undefined)] as const;
    return [stream, await createCompared(output, { jobId: job.id, attempt, stream, from }, recorded[stream])] as const;
  };
  return Object.fromEntries(await Promise.all(streams.map(open)));
}

/**
 * Makes the worker of a running attempt ship its output at once. Writes only if less than half of the time is left.
 * @param options.markMs duration from now
 * @param options.until milliseconds since 1970 at which the client stops; the mark ends by then
 */
export async function markWatched(
  { jobs, clock }: Pick<OutputContext, 'jobs' | 'clock'>,
  job: Job,
  options: { readonly markMs?: number; readonly until?: number } = {},
): Promise<void> {
  const { markMs = WATCH_MARK_MS, until = Number.POSITIVE_INFINITY } = options;
  const now = clock.now();
  const enough = timestamp(Math.min(now + markMs / 2, until));
  if (job.watched_until !== undefined && job.watched_until >= enough) return;
  const mark = timestamp(Math.min(now + markMs, until));
  // A worker that knows of a reader finds the longer mark by its heartbeat.
  if (job.watched_until !== undefined && job.watched_until > timestamp(now))
    await jobs.touch(job, { watched_until: mark });
  else await jobs.watch(job, mark);
}
