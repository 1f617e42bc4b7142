import { createHash } from 'node:crypto';
import { DeleteObjectsCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { collectFollowUps } from '../../../lib/jobs/creation/collect-follow-ups.ts';
import { joinedKey, liveChunkKey } from '../../../lib/jobs/output/output-keys.ts';
import { StreamTally } from '../../../lib/jobs/output/stream-tally.ts';
import type { FollowUpBlocks } from '../../../lib/jobs/receipts/follow-up-blocks.ts';
import type { StreamManifest } from '../../../lib/jobs/receipts/receipt.ts';
import { shellOutput } from '../../../lib/vendors/shell/shell-output.ts';
import type { OutputObjects } from '../../../worker-container/output/output-objects.ts';
import { StreamShipper } from '../../../worker-container/output/stream-shipper.ts';
import { deadline, type Timing } from '../../../worker-container/output/timing.ts';
import { ENV } from '../model/environment.ts';

/** What a worker that must go spends on joining output, milliseconds, as `finish-agent.ts` has it. */
const DRAIN_TIMEOUT_MS = 10_000;

/** What one attempt writes to stdout, kept by the real shipper and read by the real readers; the spool is memory. */
export class ModelOutput {
  readonly #timing: Timing;
  readonly #abort = new AbortController();
  readonly #shipper: StreamShipper;
  readonly #tally = new StreamTally();
  readonly #followUps = collectFollowUps();
  readonly #reader = shellOutput.createReader(this.#followUps.messages);
  #bytes = Buffer.alloc(0);

  constructor(objects: S3Client, timing: Timing, { id, attempt }: { readonly id: string; readonly attempt: number }) {
    this.#timing = timing;
    const spool = { path: '', slice: async (from: number, to: number) => this.#bytes.subarray(from, to) };
    this.#shipper = new StreamShipper({
      spool: Object.defineProperty(spool as typeof spool & { bytes: number }, 'bytes', {
        get: () => this.#bytes.length,
      }),
      objects: asOutputObjects(objects, () => this.#bytes),
      chunkKey: (offset) => liveChunkKey(id, attempt, 'stdout', offset),
      joinedKey: joinedKey(id, attempt, 'stdout'),
      timing,
      signal: this.#abort.signal,
      onFailure: () => undefined,
    });
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    this.#tally.add(bytes);
    this.#reader.push(bytes);
    this.#shipper.grown();
  }

  /** Joins what was written. @throws when the worker must go and the object store does not answer. */
  async finish(end: {
    complete: boolean;
    isReleasingJob: boolean;
  }): Promise<{ stdout: StreamManifest; follow_ups: FollowUpBlocks | undefined }> {
    if (end.isReleasingJob) {
      const signal = deadline(this.#timing, DRAIN_TIMEOUT_MS);
      signal.addEventListener('abort', () => this.#abort.abort(signal.reason), { once: true });
    }
    await this.#shipper.join();
    this.#reader.end();
    return { stdout: this.#tally.manifest(end.complete), follow_ups: this.#followUps.found() };
  }

  dispose(): void {
    this.#abort.abort(new Error('disposed of'));
    this.#shipper.settle();
  }
}

export function asOutputObjects(s3: S3Client, all: () => Buffer): OutputObjects {
  const Bucket = ENV.OUTPUT_BUCKET;
  return {
    put: async (Key, Body) => void (await s3.send(new PutObjectCommand({ Bucket, Key, Body }))),
    uploadFile: async (Key, _path, bytes) =>
      void (await s3.send(new PutObjectCommand({ Bucket, Key, Body: all().subarray(0, bytes) }))),
    deleteMany: async (keys) =>
      void (await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } }))),
  };
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
