import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { readObject } from '../jobs/output/output-source.ts';
import { uploadObject } from '../jobs/output/output-upload.ts';
import { type ExportFile, fileKey, mediaTypeOf, partKey } from './export-objects.ts';
import type { ExportRecord } from './export-record.ts';

interface Place {
  readonly s3: S3Client;
  readonly bucket: string;
}

/** Writes a whole file from its parts, in constant memory. It appears with its last byte, or not at all. */
export async function joinParts(place: Place, record: ExportRecord, file: ExportFile, header: string): Promise<void> {
  const body = Readable.from(contentOf(place, record, file, header), { objectMode: false });
  await uploadObject({ ...place, body, contentType: mediaTypeOf(file), key: fileKey(record, file) });
}

async function* contentOf(
  place: Place,
  { id, parts }: ExportRecord,
  file: ExportFile,
  header: string,
): AsyncGenerator<Buffer> {
  if (header !== '') yield Buffer.from(header);
  for (const part of parts)
    yield* readObject({ ...place, key: partKey(id, part.number, file), from: 0, to: part[file] });
}
