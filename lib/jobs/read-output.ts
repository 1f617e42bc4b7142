import type { Readable } from 'node:stream';
import type { Clock } from '../aws/table-clock.ts';
import { timestamp } from '../aws/table-clock.ts';
import type { RuleStore } from '../catalog/rules.ts';
import { composePrompt } from '../contract/compose-prompt.ts';
import { ApiError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { AttachmentStore } from './attachment-store.ts';
import { asOfAttempt } from './attempt-view.ts';
import type { Job } from './job.ts';
import type { JobStore } from './job-store.ts';
import type { JobTextStore } from './job-texts.ts';
import {
  type LogsRequest,
  logsDocument,
  type RecordedBytes,
  resultDocument,
  resultMembers,
  type Sources,
  streamsOf,
} from './output-answer.ts';
import type { OutputStore } from './output-store.ts';
import type { DocumentName, Receipt, StreamName } from './receipt.ts';

/** What reading output needs. */
export interface OutputContext {
  readonly jobs: JobStore;
  readonly texts: JobTextStore;
  readonly rules: RuleStore;
  readonly output: OutputStore;
  readonly attachments: AttachmentStore;
  readonly clock: Clock;
}

/** What was asked for, or where it is because it is too large to stream through Lambda. */
export type OutputAnswer = { readonly body: Readable } | { readonly location: string };

/** How long a reader's mark makes the worker ship at once, unless the reader says otherwise. */
const WATCH_MARK_MS = 30_000;

/**
 * `GET /result` of a job as it is now, or of an earlier attempt of it.
 * @throws ApiError `invalid_request` for an attempt that there is not
 */
export async function readResult(
  context: OutputContext,
  known: Job,
  { full, attempt = known.attempt }: { full: boolean; attempt?: number | undefined },
): Promise<OutputAnswer> {
  requireAttempt(known, attempt);
  const receipt = await receiptOf(context, known, attempt);
  const job = attempt === known.attempt ? known : asOfAttempt(known, attempt, receipt);
  const location = full && (await documentLocation(context, job, receipt, 'result'));
  if (location) return { location };
  // The texts may have been edited since an earlier attempt.
  const composedPrompt = receipt?.composed_prompt ?? (job === known ? await composedNow(context, job) : null);
  const sources = await sourcesOf(context, job, job.attempt, streamsOf('all'));
  const ended = job.status !== 'RUNNING';
  const attachments = receipt?.attachments === undefined ? [] : await context.attachments.list(job.id, job.attempt);
  const members = resultMembers(job, { receipt, composedPrompt, attachments });
  const recorded = ended ? recordedBytes(job, job.attempt, receipt) : {};
  return { body: resultDocument(members, sources, { full, ended, recorded }) };
}

/**
 * `GET /logs` of a job as it is now.
 * @throws ApiError `invalid_request` for an attempt that there is not, and for an offset without one stream.
 */
export async function readLogs(
  context: OutputContext,
  job: Job,
  request: LogsRequest & { readonly attempt: number | undefined },
): Promise<OutputAnswer> {
  const attempt = request.attempt ?? job.attempt;
  requireAttempt(job, attempt);
  requireOneStream(request);
  const receipt = await receiptOf(context, job, attempt);
  if (request.full && request.offset === undefined) {
    const document = request.stream === 'all' ? 'result' : (`logs-${request.stream}` as const);
    const location = await documentLocation(context, job, receipt, document);
    if (location) return { location };
  }
  const live = job.status === 'RUNNING' && attempt === job.attempt;
  if (live) await markWatched(context, job);
  const sources = await sourcesOf(context, job, attempt, streamsOf(request.stream), request.offset);
  const recorded = live ? {} : recordedBytes(job, attempt, receipt);
  return { body: logsDocument(job, attempt, sources, request, { ended: !live, recorded }) };
}

function requireAttempt(job: Job, attempt: number): void {
  if (attempt <= job.attempt) return;
  throw ApiError.because(
    'invalid_request',
    `query.attempt: received ${attempt}; the job's newest attempt is ${job.attempt}`,
  );
}

/** @throws ApiError `invalid_request` for an offset without a stream that it belongs to */
export function requireOneStream({ offset, stream }: Pick<LogsRequest, 'offset' | 'stream'>): void {
  if (offset === undefined || stream !== 'all') return;
  throw ApiError.because(
    'invalid_request',
    'query.offset: is a byte of one stream; give stream=stdout or stream=stderr with it',
  );
}

/** What an attempt that began now would be given; without a receipt that is the best that is known. */
async function composedNow({ texts, rules }: OutputContext, job: Job): Promise<string> {
  const jobTexts = await texts.get(job);
  const known = await rules.get(jobTexts.rule_ids ?? []);
  return composePrompt(
    known.rules.map(({ text }) => text),
    jobTexts,
  );
}

async function receiptOf(context: OutputContext, job: Job, attempt: number): Promise<Receipt | undefined> {
  const none = attempt === 0 || (job.status === 'RUNNING' && attempt === job.attempt);
  return none ? undefined : await context.output.readReceipt(job.id, attempt);
}

/** By the receipt, which is as old as the output; by the job if the receipt is gone too. */
function recordedBytes(job: Job, attempt: number, receipt: Receipt | undefined): RecordedBytes {
  const { stdout, stderr } = receipt?.streams ?? {};
  if (stdout !== undefined && stderr !== undefined) return { stdout: stdout.bytes, stderr: stderr.bytes };
  if (attempt !== job.attempt) return {};
  const { stdout_bytes, stderr_bytes } = job;
  return {
    ...(stdout_bytes !== undefined && { stdout: stdout_bytes }),
    ...(stderr_bytes !== undefined && { stderr: stderr_bytes }),
  };
}

async function documentLocation(
  context: OutputContext,
  job: Job,
  receipt: Receipt | undefined,
  document: DocumentName,
): Promise<string | undefined> {
  if (!receipt?.documents.includes(document)) return undefined;
  return await context.output.presignDocument(job.id, receipt.attempt, document, LIMITS.redirectSeconds);
}

async function sourcesOf(
  context: OutputContext,
  job: Job,
  attempt: number,
  streams: readonly StreamName[],
  from?: number,
): Promise<Sources> {
  const open = async (stream: StreamName) =>
    [stream, attempt === 0 ? NOTHING : await context.output.openStream(job.id, attempt, stream, from)] as const;
  return Object.fromEntries(await Promise.all(streams.map(open)));
}

const NOTHING = { size: 0, async *read() {} };

/**
 * Makes the worker of a running attempt ship its output at once. Writes only if less than half of the time is left.
 * @param options.markMs how long, from now
 * @param options.until milliseconds since 1970 at which the reader stops; the mark ends by then
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
  await jobs.touch(job, { watched_until: timestamp(Math.min(now + markMs, until)) });
}
