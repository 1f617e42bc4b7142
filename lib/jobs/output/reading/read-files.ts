import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type * as z from 'zod';
import { ApiError } from '../../../contract/errors.ts';
import type { fileList } from '../../../contract/schemas/jobs/files.ts';
import type { Job } from '../../lifecycle/job.ts';
import { contentTypeOf, downloadAs } from '../attachments/attachment-view.ts';
import { type FileEntry, readFileIndex, readKeptFile } from '../files/kept-files.ts';
import { attemptOf } from './read-attachment.ts';

interface FilesContext {
  readonly s3: S3Client;
  readonly bucket: string;
}

/** The attempt whose files a request concerns: the newest that has ended, unless it names another. */
function endedAttempt(job: FilesOf, asked: number | undefined): number {
  return attemptOf(job, asked ?? (job.status === 'RUNNING' ? job.attempt - 1 : job.attempt));
}

type FilesOf = Pick<Job, 'id' | 'attempt' | 'status' | 'output_deleted'>;

/** The files in a job's folder, as an attempt left them. @throws InvalidFieldError */
export async function listFiles(
  context: FilesContext,
  job: FilesOf,
  asked: number | undefined,
): Promise<z.input<typeof fileList>> {
  const attempt = endedAttempt(job, asked);
  const index = await readFileIndex({ ...context, jobId: job.id, attempt });
  return {
    id: job.id,
    attempt,
    selection: index?.selection ?? null,
    note: index === undefined ? whyNone(job, attempt) : null,
    items: index?.files.map(viewFile) ?? [],
    not_listed: index?.not_listed ?? [],
  };
}

function whyNone(job: Pick<Job, 'attempt' | 'status'>, attempt: number): string {
  if (job.attempt === 0) return 'The job has not started. Its files are kept when an attempt ends.';
  if (job.status === 'RUNNING' && attempt === 0)
    return 'The first attempt is running. Its files are kept when it ends.';
  if (job.status === 'RUNNING' && attempt === job.attempt)
    return 'The attempt is running. Its files are kept when it ends.';
  return 'The attempt left no files in its folder, or they could not be kept. The warnings of the job say why.';
}

function viewFile({ path, bytes, mode, kept, reason }: FileEntry): z.input<typeof fileList>['items'][number] {
  return {
    path,
    bytes,
    executable: (mode & 0o111) !== 0,
    kept: kept !== undefined,
    reason: reason ?? null,
    sha256: kept?.sha256 ?? null,
    masked: kept?.masked ?? false,
    content_type: contentTypeOf(path),
  };
}

/**
 * A kept file.
 * @throws ApiError `not_found`, with details if the file is listed and not kept; InvalidFieldError
 */
export async function readFile(
  context: FilesContext,
  job: FilesOf,
  { attempt: asked, path }: { readonly attempt: number | undefined; readonly path: string },
): Promise<{ readonly body: Readable; readonly disposition: string }> {
  const place = { ...context, jobId: job.id, attempt: endedAttempt(job, asked) };
  const found = (await readFileIndex(place))?.files.find((file) => file.path === path);
  if (found?.kept === undefined)
    throw ApiError.of('not_found', {
      file: found === undefined ? 'unknown' : 'not_kept',
      ...(found?.reason !== undefined && { reason: found.reason }),
    });
  const body = Readable.from(readKeptFile(place, { ...found, kept: found.kept }), { objectMode: false });
  return { body, disposition: downloadAs(path) };
}
