import { LIMITS } from '../../lib/contract/limits.ts';
import { endAttempt } from '../../lib/jobs/dispatch/end-attempt.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { LEASE } from '../../lib/jobs/lifecycle/lease.ts';
import { decide } from '../../lib/jobs/lifecycle/lifecycle.ts';
import type { Attachment } from '../../lib/jobs/output/attachments/attachment-store.ts';
import { compared, receiptStreams } from '../../lib/jobs/output/compared-output.ts';
import { exceedsAsJson } from '../../lib/jobs/output/output-document.ts';
import type { OutputSources } from '../../lib/jobs/output/output-source.ts';
import { uploadDocument } from '../../lib/jobs/output/output-upload.ts';
import { logsDocument, resultDocument, resultMembers } from '../../lib/jobs/output/reading/output-answer.ts';
import { type DocumentName, type Receipt, STREAMS, type StreamName } from '../../lib/jobs/receipts/receipt.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { afterAttempt } from '../../lib/reconciler/after-attempt.ts';
import { deadline, machineTiming, retrying } from '../output/timing.ts';

import type { Attempt, AttemptContext, AttemptRun } from './attempt.ts';

/**
 * Writes the receipt, with all secrets in it masked, then reports the outcome. If the report fails, whichever process
 * finds the lease expired takes the outcome from the receipt. If the fence is void, the report is rejected and the
 * receipt stays as evidence.
 * @returns the updated job, if the report succeeded.
 */
export async function reportAttempt(
  { worker: context, job, startedAt, redaction, ending: { releasing } }: Omit<Attempt, 'folder' | 'reads' | 'claim'>,
  { record, sources, attachments = [] }: Omit<AttemptRun, 'dispose'>,
): Promise<Job | undefined> {
  const output = { sources, attachments };
  const base: Receipt = {
    version: 1,
    job_id: job.id,
    attempt: job.attempt,
    worker_id: context.workerId,
    started_at: startedAt,
    finished_at: timestamp(context.clock.now()),
    ...redaction.strings(record, { except: NOT_MASKED }),
    documents: [],
  };
  const onFailure = (error: unknown) => context.log.warn('reporting failed; trying again', error as Error);
  const foreseen = afterEnd(context, job, base);
  const { timing = machineTiming } = context;
  const tries = (longest: number) => ({ timing, signal: deadline(timing, longest), onFailure });
  const receiving = tries(UPLOAD_TIMEOUT_MS);
  // Documents of a large output take minutes. A worker that must stop has seconds for the receipt.
  const writing = AbortSignal.any([receiving.signal, releasing]);
  try {
    let receipt = base;
    await retrying(async () => {
      const documents = await writeDocuments(context, { job: foreseen, receipt: base, ...output }, writing).catch(
        (error: unknown): undefined => {
          if (!releasing.aborted) throw error;
        },
      );
      const warnings = [...(base.warnings ?? []), WITHOUT_DOCUMENTS];
      receipt = { ...base, ...(documents === undefined ? { warnings } : { documents }) };
      await context.output.putReceipt(receipt);
    }, receiving);
    let ended: Job | undefined;
    await retrying(async () => {
      const reported = await endAttempt(context, job, receipt);
      if (reported.done) {
        ended = reported.job;
        context.onChange?.(job.id);
        context.log.info('attempt ended', { status: ended.status, reason: ended.reason });
      } else context.log.warn('the report was refused; the receipt stays as evidence', { why: reported.rejected });
    }, tries(LEASE.duration));
    if (ended === undefined) return undefined;
    const settled = await settle(context, job, ended);
    // A cancel may have come after the documents were written.
    if (receipt.documents.length > 0 && ended.status !== foreseen.status) {
      const content = { job: settled, receipt, ...output };
      const rewrite = retrying(
        async () => {
          await writeDocuments(context, content, writing);
        },
        { ...receiving, signal: writing },
      );
      await rewrite.catch((error: Error) => context.log.error('documents keep an outdated state', error));
    }
    return settled;
  } catch (error) {
    context.log.error('the outcome could not be reported; the receipt, if written, has it', error as Error);
  }
  return undefined;
}

/** Codes, hashes and times that the service makes and parses again: a short secret may occur in one by chance. */
const NOT_MASKED: ReadonlySet<string> = new Set([
  'kind',
  'reason',
  'until',
  'agent',
  'drive',
  'sandbox',
  'usage_from',
  'messages',
  'fault',
  'base',
  'head',
  'sha256',
]);

const WITHOUT_DOCUMENTS =
  'output: the answer to full=1 was not stored, since the worker had to stop: read the output in parts';

/** Never rejects: reconcile-jobs completes what fails here. */
async function settle(context: AttemptContext, job: Job, ended: Job): Promise<Job> {
  return await afterAttempt(context, job, ended).catch((error: Error) => {
    context.log.warn('follow-up actions deferred to reconcile-jobs', error);
    return ended;
  });
}

/** Milliseconds. An hour is enough for the most output that is stored. */
const UPLOAD_TIMEOUT_MS = 3_600_000;

/** The job as the report will leave it, unless a client changes it first. */
function afterEnd(context: AttemptContext, job: Job, receipt: Receipt): Job {
  const decision = decide(job, { type: 'end', receipt }, { now: context.clock.now(), random: context.random });
  return 'job' in decision ? decision.job : job;
}

/** The content of documents: the job after the attempt, and the attempt's results. */
interface DocumentContent {
  readonly job: Job;
  readonly receipt: Receipt;
  readonly sources: OutputSources | undefined;
  readonly attachments: readonly Attachment[];
}

/** Writes the responses that are too large to stream through Lambda as complete documents. */
async function writeDocuments(
  context: AttemptContext,
  { job, receipt, sources, attachments }: DocumentContent,
  signal: AbortSignal,
): Promise<DocumentName[]> {
  if (sources === undefined || !(await exceedsAsJson(Object.values(sources), LIMITS.streamedBytes))) return [];
  const comparedSource = (stream: StreamName) => compared(sources[stream], receiptStreams(receipt)[stream]);
  const write = (document: DocumentName, body: Parameters<typeof uploadDocument>[0]['body']) =>
    uploadDocument({
      s3: context.objects,
      bucket: context.env.OUTPUT_BUCKET,
      jobId: job.id,
      attempt: job.attempt,
      document,
      body,
      signal,
    });
  const whole = { full: true, ended: true };
  const members = resultMembers(job, {
    receipt,
    composedPrompt: receipt.composed_prompt,
    attachments,
    receiptState: 'complete',
    attachmentsState: receipt.attachments && 'complete',
  });
  // Also the response of `logs?stream=all`, so it has that response's members too.
  const both = { stdout: comparedSource('stdout'), stderr: comparedSource('stderr') };
  await write('result', resultDocument({ ...members, ...{ stream: 'all', next_offset: null } }, both, whole));
  const written: DocumentName[] = ['result'];
  for (const stream of STREAMS) {
    if (!(await exceedsAsJson([sources[stream]], LIMITS.streamedBytes))) continue;
    const request = { stream, full: true, offset: undefined };
    const shown = { [stream]: comparedSource(stream) };
    await write(`logs-${stream}`, logsDocument(job, job.attempt, shown, request, { ended: true }));
    written.push(`logs-${stream}`);
  }
  return written;
}
