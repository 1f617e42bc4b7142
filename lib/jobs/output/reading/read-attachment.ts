import { Readable } from 'node:stream';
import { ApiError, InvalidFieldError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Job } from '../../lifecycle/job.ts';
import type { AttachmentStore } from '../attachments/attachment-store.ts';
import { attachmentIndex, downloadAs } from '../attachments/attachment-view.ts';
import type { OutputAnswer } from './read-output.ts';
import { requireKept } from './require-kept.ts';

/**
 * The attempt that a request concerns: the newest unless it names another.
 * @throws InvalidFieldError; ApiError `output_deleted`
 */
export function attemptOf(job: Pick<Job, 'attempt' | 'output_deleted'>, asked = job.attempt): number {
  requireKept(job, asked);
  if (asked <= job.attempt) return asked;
  throw InvalidFieldError.of('attempt', `received ${asked}; the job's newest attempt is ${job.attempt}`);
}

/**
 * One attachment of an attempt: its content, or its location because it is too large to stream through Lambda.
 * @throws ApiError `not_found`, with details if it was recorded but its content is gone, shortened or replaced
 */
export async function readAttachment(
  store: AttachmentStore,
  job: Pick<Job, 'id'>,
  { attempt, name }: { attempt: number; name: string },
): Promise<OutputAnswer & { readonly disposition: string }> {
  const attachments = await store.list(job.id, attempt);
  const index = attachmentIndex(attachments, name);
  const found = attachments[index];
  if (found === undefined) throw ApiError.of('not_found');
  const disposition = downloadAs(found.path);
  const { bytes, sha256 } = found;
  const content = { jobId: job.id, attempt, index, bytes, sha256 };
  const kept = (await store.size(content)) ?? 0;
  if (kept !== bytes) {
    const details = { attachments_state: kept > bytes ? 'corrupt' : kept === 0 ? 'missing' : 'truncated' };
    throw ApiError.of('not_found', { ...details, recorded_bytes: bytes, kept_bytes: kept });
  }
  if (bytes <= LIMITS.streamedBytes)
    return { disposition, body: Readable.from(store.read(content), { objectMode: false }) };
  return { disposition, location: await store.presign(content, disposition, LIMITS.redirectSeconds) };
}
