import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { networkFault, TransientError } from '../../client/errors.ts';
import { type RetryPolicy, repeat } from '../../client/repeat.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { diskFault } from './target-folder.ts';

/** The body of an answer. */
type Body = ReadableStream<Uint8Array> | null | undefined;

/**
 * Saves a download as a new file, which gets its name when it is whole.
 * @param fetched begins the download
 * @param check throws if the file is not whole
 * @returns its bytes
 * @throws CommandError if the name is taken, or the disk fails; RequestError, UnreachableError
 */
export async function saveFile(
  path: string,
  { policy, fetched, check }: { policy: RetryPolicy; fetched: () => Promise<Body>; check?: typeof requireZip },
): Promise<number> {
  if ((await lstat(path).catch(() => undefined)) !== undefined) throw usageError(`${path} exists; name another file`);
  const part = `${path}.${randomUUID()}.part`;
  try {
    const bytes = await repeat(async () => await download(part, await fetched(), check), policy);
    await rename(part, path);
    return bytes;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new CommandError(EXIT.jobFailed, `${path} can't be stored: ${diskFault(error as NodeJS.ErrnoException)}`);
  } finally {
    await rm(part, { force: true }).catch(() => undefined);
  }
}

async function download(part: string, body: Body, check?: typeof requireZip): Promise<number> {
  const file = await open(part, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW, 0o600);
  try {
    let bytes = 0;
    const reader = body?.getReader();
    for (;;) {
      const { done, value } = (await reader?.read().catch(lost)) ?? { done: true, value: undefined };
      if (done) break;
      await file.writeFile(value);
      bytes += value.length;
    }
    await check?.(file, bytes);
    return bytes;
  } finally {
    await file.close();
  }
}

function lost(error: unknown): never {
  throw new TransientError(`the download was cut off: ${networkFault(error)}`, { cause: error });
}

/** Length of the record at the end of a zip file without a comment, and how it begins. */
const END = { bytes: 22, signature: 0x06054b50 } as const;

/** @throws TransientError for an archive that was cut off: it has no directory at its end */
export async function requireZip(file: FileHandle, bytes: number): Promise<void> {
  const end = Buffer.alloc(END.bytes);
  if (bytes >= END.bytes) await file.read(end, 0, END.bytes, bytes - END.bytes);
  if (end.readUInt32LE(0) !== END.signature) throw new TransientError('the archive was cut off');
}
