import { createHash } from 'node:crypto';
import type { Segment, StoredObject, Upload } from './object-record.ts';

/** Minimum size in bytes of all parts but the last, as in S3. */
const SMALLEST_PART = 5 * 1024 * 1024;

/** A part of a multipart upload, as stored. */
export type UploadedPart = Segment & { readonly etag: string };

/** A part that the completing request names. */
export interface WantedPart {
  readonly partNumber: number;
  readonly etag: string;
}

/** S3's error codes for the parts of a completed upload. */
export type PartsError = 'InvalidPart' | 'InvalidPartOrder' | 'EntityTooSmall';

/** The uploaded parts that a request names, in its order, or S3's error code. */
export function chosenParts(
  uploaded: ReadonlyMap<number, UploadedPart>,
  wanted: readonly WantedPart[],
): UploadedPart[] | PartsError {
  if (wanted.some(({ partNumber }, index) => partNumber <= (wanted[index - 1]?.partNumber ?? 0)))
    return 'InvalidPartOrder';
  const parts = wanted.map(({ partNumber, etag }) => {
    const part = uploaded.get(partNumber);
    return part !== undefined && unquoted(part.etag) === unquoted(etag) ? part : undefined;
  });
  if (!parts.every((part) => part !== undefined)) return 'InvalidPart';
  if (parts.slice(0, -1).some((part) => part.length < SMALLEST_PART)) return 'EntityTooSmall';
  return parts;
}

/** The object that parts make: its length, and its ETag as S3 computes it. */
export function joinedObject(upload: Upload, parts: readonly UploadedPart[]): StoredObject {
  const {
    uploadId: _id,
    bucket: _bucket,
    parts: _parts,
    initiated: _initiated,
    checksumAlgorithm: _algorithm,
    ...about
  } = upload;
  const digest = createHash('md5');
  for (const part of parts) digest.update(Buffer.from(unquoted(part.etag), 'hex'));
  return {
    ...about,
    body: Buffer.alloc(0),
    contentLength: parts.reduce((sum, part) => sum + part.length, 0),
    etag: `"${digest.digest('hex')}-${parts.length}"`,
    lastModified: new Date(),
  };
}

function unquoted(etag: string): string {
  return etag.replaceAll('"', '');
}
