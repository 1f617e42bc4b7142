import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { readSessionKey, sessionAboutKey, sessionPartKey, sessionPrefix } from '../output-keys.ts';
import { isMissing, readObject } from '../output-source.ts';
import { type SessionRecord, sessionRecordSchema } from './session-record.ts';

/** The session of an attempt, as stored so far. */
export interface StoredSession {
  readonly record: SessionRecord;
  /** Bytes. */
  readonly size: number;
  /** Its content: whole lines of JSON, with all secrets masked. */
  read(): AsyncIterable<Buffer>;
}

interface Part {
  readonly offset: number;
  readonly size: number;
}

/** Reads the sessions of agents. Needs `s3:GetObject` on `jobs/*` and `s3:ListBucket` on the bucket. */
export class AgentSessionStore {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  /** The session that an attempt has saved; undefined: none that this version reads. */
  async find(jobId: string, attempt: number): Promise<StoredSession | undefined> {
    const parts = await this.#newestParts(jobId, attempt);
    if (parts === undefined) return undefined;
    const record = await this.#record(sessionAboutKey(jobId, attempt, parts.generation));
    if (record === undefined) return undefined;
    const whole = contiguous(parts.parts);
    const size = whole.reduce((sum, part) => sum + part.size, 0);
    if (size === 0) return undefined;
    const key = (offset: number) => sessionPartKey(jobId, attempt, parts.generation, offset);
    return { record, size, read: () => this.#read(whole, key) };
  }

  async #newestParts(jobId: string, attempt: number): Promise<{ generation: number; parts: Part[] } | undefined> {
    const pages = paginateListObjectsV2(
      { client: this.#s3 },
      { Bucket: this.#bucket, Prefix: sessionPrefix(jobId, attempt) },
    );
    let newest: { generation: number; parts: Part[] } | undefined;
    for await (const page of pages)
      for (const { Key: key = '', Size: size = 0 } of page.Contents ?? []) {
        const found = readSessionKey(key);
        if (found === undefined || found.offset === 'about') continue;
        // Keys are listed in order, so a later generation follows an earlier one.
        if (found.generation !== newest?.generation) newest = { generation: found.generation, parts: [] };
        newest.parts.push({ offset: found.offset, size });
      }
    return newest;
  }

  async #record(key: string): Promise<SessionRecord | undefined> {
    try {
      const { Body: body } = await this.#s3.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
      const parsed = sessionRecordSchema.safeParse(JSON.parse((await body?.transformToString()) ?? 'null'));
      return parsed.success ? parsed.data : undefined;
    } catch (error) {
      if (isMissing(error) || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  async *#read(parts: readonly Part[], key: (offset: number) => string): AsyncGenerator<Buffer> {
    for (const { offset, size } of parts)
      yield* readObject({ s3: this.#s3, bucket: this.#bucket, key: key(offset), from: 0, to: size });
  }
}

/** The parts up to the first gap: what follows a lost part continues nothing. */
function contiguous(parts: readonly Part[]): readonly Part[] {
  let end = 0;
  const gap = parts.findIndex(({ offset, size }) => {
    if (offset !== end) return true;
    end += size;
    return false;
  });
  return gap < 0 ? parts : parts.slice(0, gap);
}
