import { Readable } from 'node:stream';
import { ApiError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { AttachmentStore } from './attachment-store.ts';
import { downloadAs, placeOf } from './attachment-view.ts';
import type { Job } from './job.ts';
import type { OutputAnswer } from './read-output.ts';

/** The attempt that a request is about: the newest unless it names another. @throws ApiError `invalid_request` */
export function attemptOf(job: Pick<Job, 'attempt'>, asked: number | undefined): number {
  if (asked === undefined || asked <= job.attempt) return asked ?? job.attempt;
  throw ApiError.because(
    'invalid_request',
    `query.attempt: received ${asked}; the job's newest attempt is ${job.attempt}`,
  );
}

/**
 * One attachment of an attempt: its content, or where it is because it is too large to stream through Lambda.
 * @throws ApiError `not_found`
 */
export async function readAttachment(
  store: AttachmentStore,
  job: Pick<Job, 'id'>,
  { attempt, name }: { attempt: number; name: string },
): Promise<OutputAnswer & { readonly disposition: string }> {
  const attachments = await store.list(job.id, attempt);
  const place = placeOf(attachments, name);
  const found = attachments[place];
  if (found === undefined) throw ApiError.of('not_found');
  const disposition = downloadAs(found.path);
  const content = { jobId: job.id, attempt, place, bytes: found.bytes };
  if (found.bytes <= LIMITS.streamedAttachmentBytes)
    return { disposition, body: Readable.from(store.read(content), { objectMode: false }) };
  return { disposition, location: await store.presign(content, disposition, LIMITS.redirectSeconds) };
}
