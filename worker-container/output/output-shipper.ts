import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { LIMITS } from '../../lib/contract/limits.ts';
import { joinedKey, liveChunkKey } from '../../lib/jobs/output/output-keys.ts';
import type { OutputSource } from '../../lib/jobs/output/output-source.ts';
import type { StreamManifest, StreamName } from '../../lib/jobs/receipts/receipt.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { OutputIntake, Spool } from './output-intake.ts';
import type { OutputObjects } from './output-objects.ts';

import { StreamShipper } from './stream-shipper.ts';
import { machineTiming, type Timing } from './timing.ts';

export interface OutputShipperOptions {
  readonly jobId: string;
  readonly attempt: number;
  /** The agent's pipes. */
  readonly pipes: Readonly<Record<StreamName, Readable>>;
  /** A folder of this attempt only; created if missing. Needs room for everything that the agent writes. */
  readonly spoolDir: string;
  readonly objects: OutputObjects;
  /** Masks secrets. */
  readonly redaction: Redaction;
  /** Called with every byte as the agent wrote it, in order, not masked, even beyond the limit; must not throw. */
  readonly onData?: (stream: StreamName, chunk: Buffer) => void;
  /** Called once per stream when it exceeds the limit. The rest is not kept. */
  readonly onLimit?: (stream: StreamName) => void;
  /** Called once per stream when reading or spooling fails (full disk, for example). The rest is not kept. */
  readonly onError?: (stream: StreamName, error: unknown) => void;
  /** Called when a request to the object store fails. It is retried with backoff. */
  readonly onFailure?: (stream: StreamName, error: unknown) => void;
  /** Most bytes of one stream. Default: `LIMITS.outputBytes`. */
  readonly outputBytes?: number;
  readonly timing?: Timing;
}

interface Lane {
  readonly spool: Spool;
  readonly intake: OutputIntake;
  readonly shipper: StreamShipper;
}

/**
 * Stores all output of one attempt, from the first byte: masked, spooled on disk, shipped while it runs, joined at its
 * end. Memory use does not depend on the volume. A slow or failing object store slows the agent down and loses nothing.
 */
export class OutputShipper {
  /** Resolves when both pipes have ended; never rejects. Processes that outlive the agent may delay it forever. */
  readonly ended: Promise<void>;
  readonly #lanes: Readonly<Record<StreamName, Lane>>;
  readonly #abort: AbortController;

  static async start(options: OutputShipperOptions): Promise<OutputShipper> {
    await mkdir(options.spoolDir, { recursive: true, mode: 0o700 });
    const spool = (stream: StreamName) => new Spool(join(options.spoolDir, stream));
    return new OutputShipper(options, { stdout: spool('stdout'), stderr: spool('stderr') });
  }

  private constructor(options: OutputShipperOptions, spools: Readonly<Record<StreamName, Spool>>) {
    this.#abort = new AbortController();
    this.#lanes = {
      stdout: lane(options, 'stdout', spools.stdout, this.#abort.signal),
      stderr: lane(options, 'stderr', spools.stderr, this.#abort.signal),
    };
    this.ended = Promise.all(this.#all.map(({ intake }) => intake.ended)).then(() => undefined);
  }

  /** Whether someone reads along. Output then arrives within 2 s. */
  setWatched(watched: boolean): void {
    for (const { shipper } of this.#all) shipper.setWatched(watched);
  }

  /** What has been kept of a stream so far, readable without S3 until `dispose`. */
  source(stream: StreamName): OutputSource {
    return this.#lanes[stream].spool.source();
  }

  /**
   * Reads what is available, whether or not the pipes have ended, and joins each stream into one object. Call it once,
   * when the process tree has ended.
   * @param end.complete Whether the attempt wrote everything it was going to, as far as the caller knows.
   * @param end.signal Aborts. The promise then rejects with its reason, and what was shipped live stays readable.
   */
  async finish(end: { complete: boolean; signal?: AbortSignal }): Promise<Record<StreamName, StreamManifest>> {
    const abort = () => this.#abort.abort(end.signal?.reason);
    if (end.signal?.aborted) abort();
    end.signal?.addEventListener('abort', abort, { once: true });
    const joinLane = async ({ intake, shipper, spool }: Lane) => {
      shipper.settle();
      await intake.close();
      await shipper.join();
      return spool.manifest(end.complete && intake.complete);
    };
    try {
      const [stdout, stderr] = await Promise.all([joinLane(this.#lanes.stdout), joinLane(this.#lanes.stderr)]);
      return { stdout, stderr };
    } finally {
      end.signal?.removeEventListener('abort', abort);
    }
  }

  /** Stops everything and removes the spools. Of unfinished streams only the live chunks remain. */
  async dispose(): Promise<void> {
    this.#abort.abort(new Error('the output shipper was disposed of'));
    for (const { shipper } of this.#all) shipper.settle();
    await Promise.all(this.#all.map(({ intake }) => intake.close()));
    await Promise.all(this.#all.map(({ spool }) => spool.remove()));
  }

  get #all(): readonly Lane[] {
    return [this.#lanes.stdout, this.#lanes.stderr];
  }
}

function lane(options: OutputShipperOptions, stream: StreamName, spool: Spool, signal: AbortSignal): Lane {
  const { jobId, attempt, objects, timing = machineTiming } = options;
  const shipper = new StreamShipper({
    spool,
    objects,
    chunkKey: (offset) => liveChunkKey(jobId, attempt, stream, offset),
    joinedKey: joinedKey(jobId, attempt, stream),
    timing,
    signal,
    onFailure: (error) => options.onFailure?.(stream, error),
  });
  const intake = new OutputIntake({
    input: options.pipes[stream],
    spool,
    redactor: options.redaction.redactor(),
    limit: options.outputBytes ?? LIMITS.outputBytes,
    timing,
    onRead: (chunk) => options.onData?.(stream, chunk),
    onKept: () => shipper.grown(),
    onLimit: () => options.onLimit?.(stream),
    onError: (error) => options.onError?.(stream, error),
    room: () => shipper.room(),
  });
  return { spool, intake, shipper };
}
