import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { OutputState } from '../output/compared-output.ts';
import { isMissing } from '../output/output-source.ts';

/*
 * A zip file that is written while it is read. Parts are opened one after the other, so memory doesn't grow with what a
 * job left. The list of its parts, the manifest, has their digests and is written last, and after it the directory that
 * every unzip program reads first: an archive that was cut off opens nowhere.
 */

/** A part of a record. */
export interface RecordPart {
  readonly name: string;
  /** Members of its entry in the manifest, such as the path that a job gave the file. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** Bytes, if they are known before it is read. */
  readonly size?: number;
  /** The recorded digest, hex. */
  readonly sha256?: string;
  /** Where the part can be read if the archive has no room for it. */
  readonly address?: string;
  /** Absent: it is known to be lost. */
  readonly read?: () => AsyncIterable<Uint8Array>;
  /** What became of it, known after it was read. */
  readonly state?: () => OutputState | undefined;
}

type Entry = Readonly<Record<string, unknown>>;

/**
 * The archive of these parts.
 * @param head members of the manifest
 * @param limit bytes of all parts together. Further ones are left out, and the manifest says where to read them
 * @returns a stream that fails, before the archive is complete, if a part can't be read
 */
export function recordArchive(
  parts: AsyncIterable<RecordPart>,
  { head, limit, date }: { readonly head: Entry; readonly limit: number; readonly date: Date },
): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const fail = (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error)));
  zip.on('error', fail);
  writeParts(zip, parts, { head, limit, date }).catch(fail);
  return output;
}

async function writeParts(
  zip: ZipFile,
  parts: AsyncIterable<RecordPart>,
  { head, limit, date }: { readonly head: Entry; readonly limit: number; readonly date: Date },
): Promise<void> {
  const entries: Entry[] = [];
  const leftOut: Entry[] = [];
  let left = limit;
  for await (const part of parts) {
    const { name, about, size, sha256, address, read } = part;
    const known = { name, ...about, ...(size !== undefined && { bytes: size }), ...(sha256 && { sha256 }) };
    if (read === undefined) leftOut.push({ ...known, reason: 'missing' });
    else if ((size ?? 0) > left) leftOut.push({ ...known, reason: 'too_large', ...(address && { read_at: address }) });
    else {
      const written = await write(zip, name, read(), date);
      left -= written.bytes;
      entries.push({ name, ...about, ...written, ...stateOf(part, written) });
    }
  }
  const manifest = JSON.stringify(
    { ...head, complete: leftOut.length === 0, parts: entries, left_out: leftOut },
    null,
    2,
  );
  await write(zip, 'manifest.json', textOf(`${manifest}\n`), date);
  zip.end();
}

function stateOf(
  { sha256, state }: RecordPart,
  written: { readonly sha256: string; readonly state?: OutputState },
): { readonly state?: OutputState } {
  const found = written.state ?? (sha256 && sha256 !== written.sha256 ? 'corrupt' : state?.());
  return found === undefined || found === 'complete' ? {} : { state: found };
}

export async function* textOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

/** Adds a file. @throws what reading it does, unless its content is lost */
async function write(
  zip: ZipFile,
  name: string,
  content: AsyncIterable<Uint8Array>,
  mtime: Date,
): Promise<{ readonly bytes: number; readonly sha256: string; readonly state?: OutputState }> {
  return await new Promise((resolve, reject) => {
    const hash = createHash('sha256');
    let bytes = 0;
    let state: OutputState | undefined;
    async function* counted(): AsyncGenerator<Uint8Array> {
      try {
        for await (const chunk of content) {
          hash.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      } catch (error) {
        if (!isLost(error)) throw error;
        state = bytes === 0 ? 'missing' : 'truncated';
      }
    }
    const stream = Readable.from(counted(), { objectMode: false });
    stream.once('error', reject);
    stream.once('end', () => resolve({ bytes, sha256: hash.digest('hex'), ...(state && { state }) }));
    zip.addReadStreamLazy(name, { mtime, mode: 0o100_644, compress: true }, (callback) => callback(null, stream));
  });
}

/** Whether an error says that content is gone or is not what was recorded, and not that the store fails. */
function isLost(error: unknown): boolean {
  return (
    isMissing(error) || (error instanceof Error && / is not what was recorded$| ends at byte /.test(error.message))
  );
}
