import type { S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type * as z from 'zod';
import { LIMITS } from '../contract/limits.ts';
import type { exportView } from '../contract/schemas/exports.ts';
import { type Clock, timestamp } from '../platform/aws/table-clock.ts';
import type { ExportFile, ExportObjects } from './export-objects.ts';
import { type ExportRecord, needsLogs, viewExport } from './export-record.ts';

interface OfferContext {
  readonly s3: S3Client;
  readonly objects: Pick<ExportObjects, 'download'>;
  readonly clock: Clock;
}

type ExportView = z.input<typeof exportView>;

/** An export without links. */
export function withoutLinks(record: ExportRecord): ExportView {
  return { ...viewExport(record), url: null, raw_url: null, url_expires_at: null };
}

/** An export with links to its files, if it is whole and the caller may read what it contains. */
export async function withLinks(
  { s3, objects, clock }: OfferContext,
  record: ExportRecord,
  { showsOutput }: { readonly showsOutput: boolean },
): Promise<ExportView> {
  if (record.status !== 'done' || (needsLogs(record) && !showsOutput)) return withoutLinks(record);
  const { linkSeconds } = LIMITS.exports;
  const now = clock.now();
  const left = Math.floor((Date.parse(record.expires_at) - now) / 1000);
  const expiresIn = Math.max(1, Math.min(linkSeconds, left));
  const link = async (file: ExportFile) => await getSignedUrl(s3, objects.download(record, file), { expiresIn });
  const isTable = record.format === 'csv';
  return {
    ...viewExport(record),
    url: await link(isTable ? 'csv' : 'jsonl'),
    raw_url: isTable ? await link('jsonl') : null,
    url_expires_at: timestamp(now + expiresIn * 1000),
  };
}
