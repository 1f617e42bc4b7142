import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ExportRecord } from './export-record.ts';

/** The prefix of all exports in the bucket. The bucket deletes objects below it after some days. */
export const EXPORTS_PREFIX = 'exports/';

/** The files of an export. */
export const EXPORT_FILES = ['jsonl', 'csv'] as const;
export type ExportFile = (typeof EXPORT_FILES)[number];

const MEDIA_TYPES = { jsonl: 'application/jsonl', csv: 'text/csv; charset=utf-8' } as const;
const PART_DIGITS = 6;

/** The key of a whole file, which exists once all of it is written. */
export function fileKey({ id }: Pick<ExportRecord, 'id'>, file: ExportFile): string {
  return `${prefixOf(id)}whole.${file}`;
}

/** What a file is called when it is saved: `promptq-jobs-2026-11-29.csv`. */
export function fileName(
  { what, created_at, format }: Pick<ExportRecord, 'what' | 'created_at' | 'format'>,
  file: ExportFile,
) {
  const isBeside = format === 'csv' && file === 'jsonl';
  return `promptq-${what}-${created_at.slice(0, 10)}${isBeside ? '.raw' : ''}.${file}`;
}

export function mediaTypeOf(file: ExportFile): string {
  return MEDIA_TYPES[file];
}

/** The parts of exports, and their whole files. */
export class ExportObjects {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  /** Stores a part. Its number is never used twice, so nothing replaces it. */
  async putPart(id: string, number: number, contents: ReadonlyMap<ExportFile, Buffer>): Promise<void> {
    for (const [file, Body] of contents)
      await this.#s3.send(new PutObjectCommand({ Bucket: this.#bucket, Key: partKey(id, number, file), Body }));
  }

  /** Removes the parts of an export; `all`: its whole files too. */
  async remove(id: string, what: 'parts' | 'all'): Promise<void> {
    const Prefix = what === 'all' ? prefixOf(id) : partsOf(id);
    for (;;) {
      const { Contents = [] } = await this.#s3.send(new ListObjectsV2Command({ Bucket: this.#bucket, Prefix }));
      if (Contents.length === 0) return;
      const Objects = Contents.map(({ Key = '' }) => ({ Key }));
      const { Errors = [] } = await this.#s3.send(
        new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }),
      );
      const [first] = Errors;
      if (first !== undefined) throw new Error(`${first.Key} was not deleted: ${first.Code} ${first.Message}`);
    }
  }

  /** The request for a whole file, as a download. */
  download(record: ExportRecord, file: ExportFile): GetObjectCommand {
    return new GetObjectCommand({
      Bucket: this.#bucket,
      Key: fileKey(record, file),
      ResponseContentDisposition: `attachment; filename="${fileName(record, file)}"`,
      ResponseContentType: mediaTypeOf(file),
    });
  }
}

/** An export's id is ours: only letters and digits. */
function prefixOf(id: string): string {
  return `${EXPORTS_PREFIX}${id}/`;
}

function partsOf(id: string): string {
  return `${prefixOf(id)}parts/`;
}

/** Key of a part of a file. */
export function partKey(id: string, number: number, file: ExportFile): string {
  return `${partsOf(id)}${number.toString().padStart(PART_DIGITS, '0')}.${file}`;
}
