import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, type FileHandle, link, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { answerOf } from '../../client/data-of.ts';
import { networkFault, TransientError, UnreachableError } from '../../client/errors.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { repeat } from '../../client/repeat.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

interface Wanted {
  readonly id: string;
  readonly attachment: Pick<Schemas['Attachment'], 'name' | 'attempt' | 'sha256'>;
  readonly target: string;
}

const MISMATCH = 'the received file is not the one that the job stored';

/** What became of a download: `other`: a different file is there, and is kept. */
export type Downloaded = 'stored' | 'there' | 'other';

/**
 * Downloads an attachment into a new file, which appears when it is complete and has the recorded SHA-256. A file that is
 * there already is not fetched.
 * @throws CommandError if the disk fails, or the received file stays another one; RequestError, UnreachableError
 */
export async function download(client: Promptq, { id, attachment, target }: Wanted): Promise<Downloaded> {
  const folder = dirname(target);
  // Nobody else who may write to the folder can guess the name, and make it a link.
  const part = join(folder, `.promptq-${randomUUID()}.part`);
  try {
    const found = await existing(target, attachment.sha256);
    if (found !== undefined) return found;
    await mkdir(folder, { recursive: true });
    await repeat(async () => await fetchInto(client, { id, attachment, target: part }), client.policy);
    await place(part, target);
    return 'stored';
  } catch (error) {
    if (error instanceof UnreachableError && error.message === MISMATCH)
      throw new CommandError(EXIT.jobFailed, `${target} can't be stored: ${MISMATCH}`);
    if (!isDiskError(error)) throw error;
    // Another program has made it meanwhile.
    if (error.code === 'EEXIST' && (error.syscall === 'link' || error.syscall === 'copyfile')) return 'other';
    throw new CommandError(EXIT.jobFailed, `${target} can't be stored: ${error.message}`);
  } finally {
    await rm(part, { force: true }).catch(() => undefined);
  }
}

/** Errors of file systems without hard links, such as exFAT and some network mounts. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Gives a complete file its name, unless that is taken. Only a copy can be seen before it is complete. */
async function place(part: string, target: string): Promise<void> {
  await link(part, target).catch(async (error: NodeJS.ErrnoException) => {
    if (!NO_LINKS.has(error.code)) throw error;
    await copyFile(part, target, constants.COPYFILE_EXCL);
  });
}

/** What is there instead of a download; undefined: nothing. */
async function existing(path: string, sha256: string): Promise<Exclude<Downloaded, 'stored'> | undefined> {
  try {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex') === sha256 ? 'there' : 'other';
  } catch (error) {
    if (isDiskError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    if (isDiskError(error) && error.code === 'EISDIR') return 'other';
    throw error;
  }
}

function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

async function fetchInto(client: Promptq, { id, attachment, target }: Wanted): Promise<void> {
  const { name, attempt, sha256 } = attachment;
  const { response } = await answerOf(
    client.api.GET('/api/v1/jobs/{id}/attachments/{name}', {
      params: { path: { id, name }, query: { attempt } },
      headers: { accept: 'application/octet-stream' },
      parseAs: 'stream',
    }),
  );
  const file = await open(target, 'w', 0o644);
  try {
    const hash = await copy(response, file);
    if (hash !== sha256) throw new TransientError(MISMATCH);
  } finally {
    await file.close();
  }
}

/** @returns the SHA-256 of what was copied */
async function copy(response: Response, file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read().catch(lost)) ?? { done: true, value: undefined };
    if (done) return hash.digest('hex');
    hash.update(value);
    await file.writeFile(value);
  }
}

function lost(error: unknown): never {
  throw new TransientError(`the download was cut off: ${networkFault(error)}`, { cause: error });
}
