import { createHash } from 'node:crypto';
import type { OUTPUT_STATES } from '../../contract/schemas/jobs/output.ts';
import type { Job } from '../lifecycle/job.ts';
import { type Receipt, STREAMS, type StreamName } from '../receipts/receipt.ts';
import { LostOutputError } from './live-output.ts';
import type { OutputSource } from './output-source.ts';
import type { OutputStore } from './output-store.ts';

export type OutputState = (typeof OUTPUT_STATES)[number];

/** What was recorded about a stream when its attempt ended. */
export interface RecordedStream {
  readonly bytes: number;
  /** Hex; absent if only the length is known. */
  readonly sha256?: string;
}

/** Streams are absent if the attempt has not ended, or nothing was recorded. */
export type RecordedStreams = Readonly<Partial<Record<StreamName, RecordedStream>>>;

/** A stream that is compared with its record while it is read. */
export interface ComparedSource extends OutputSource {
  /** The state of the stream; final once all content has been read in one pass. undefined: there is no record. */
  state(): OutputState | undefined;
}

/** The receipt's record, written with the output; without a receipt the job's record, which has lengths only. */
export function recordedStreams(job: Job, attempt: number, receipt: Receipt | undefined): RecordedStreams {
  if (receipt !== undefined) return receiptStreams(receipt);
  if (attempt !== job.attempt) return {};
  const { stdout_bytes, stderr_bytes } = job;
  return {
    ...(stdout_bytes !== undefined && { stdout: { bytes: stdout_bytes } }),
    ...(stderr_bytes !== undefined && { stderr: { bytes: stderr_bytes } }),
  };
}

export function receiptStreams({ streams }: Pick<Receipt, 'streams'>): RecordedStreams {
  const record = (stream: StreamName): RecordedStream => {
    const { bytes, sha256 } = streams[stream];
    return { bytes, ...(sha256 !== '' && { sha256 }) };
  };
  return Object.fromEntries(STREAMS.map((stream) => [stream, record(stream)]));
}

/** Opens a stream as stored, or the part before the first lost byte. */
export async function createCompared(
  output: Pick<OutputStore, 'openStream'>,
  at: { readonly jobId: string; readonly attempt: number; readonly stream: StreamName; readonly from?: number },
  recorded: RecordedStream | undefined,
): Promise<ComparedSource> {
  const { jobId, attempt, stream, from = 0 } = at;
  try {
    return compared(await output.openStream(jobId, attempt, stream, from), recorded);
  } catch (error) {
    if (!(error instanceof LostOutputError)) throw error;
    // Only a listing from the first byte shows how much lies before the gap.
    if (from > 0) return await createCompared(output, { ...at, from: 0 }, recorded);
    const state = error.before.size === 0 ? 'missing' : 'truncated';
    return { ...error.before, state: () => state };
  }
}

/** Hashes the stream when it is read from its first byte to its last: nothing is read only to compare it. */
export function compared(source: OutputSource, recorded: RecordedStream | undefined): ComparedSource {
  let digest: string | undefined;
  async function* hashed(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    for await (const chunk of source.read()) {
      hash.update(chunk);
      yield chunk;
    }
    digest = hash.digest('hex');
  }
  return {
    size: source.size,
    read: (from = 0, to = source.size) =>
      from === 0 && to >= source.size && recorded?.sha256 !== undefined ? hashed() : source.read(from, to),
    state: () => recorded && stateOf(source.size, recorded, digest),
  };
}

function stateOf(size: number, recorded: RecordedStream, digest: string | undefined): OutputState {
  if (size < recorded.bytes) return size === 0 ? 'missing' : 'truncated';
  if (recorded.sha256 === undefined) return 'complete';
  const differs = size > recorded.bytes || (digest !== undefined && digest !== recorded.sha256);
  return differs ? 'corrupt' : 'complete';
}
