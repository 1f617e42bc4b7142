import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { answerOf } from '../../client/data-of.ts';
import { networkFault, TransientError, UnreachableError } from '../../client/errors.ts';
import type { Promptq } from '../../client/promptq.ts';
import { repeat } from '../../client/repeat.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { diskFault, type TargetFolder } from './target-folder.ts';

/** A file of a job that the service has: an attachment, which has a name, or a copy of one of its folder. */
export interface StoredFile {
  readonly path: string;
  readonly name?: string;
  readonly attempt: number;
  readonly sha256: string;
}

interface Source {
  readonly id: string;
  readonly attachment: StoredFile;
}

const MISMATCH = 'the received file is not the one that the job stored';

/** What became of a download: `other`: something different is there, and is kept. */
type Downloaded = 'stored' | 'there' | 'other';

/**
 * Downloads a file into a new one of the folder, which appears when it is complete and has the recorded SHA-256. A
 * file that is there already is not fetched. No link is followed.
 * @throws CommandError if the disk fails, or the received file stays another one; RequestError, UnreachableError
 */
export async function download(
  client: Promptq,
  { folder, ...source }: Source & { readonly folder: TargetFolder },
): Promise<Downloaded> {
  const { attachment } = source;
  const parts = attachment.path.split('/');
  const target = join(folder.path, ...parts);
  try {
    return await folder.within(parts.slice(0, -1), async (at) => {
      const file = join(at, parts.at(-1) ?? '');
      return (await existing(file, attachment.sha256)) ?? (await store(client, source, { at, file }));
    });
  } catch (error) {
    if (error instanceof UnreachableError && error.message === MISMATCH)
      throw new CommandError(EXIT.jobFailed, `${target} can't be stored: ${MISMATCH}`);
    if (!isDiskError(error)) throw error;
    // Another program has made it meanwhile.
    if (error.code === 'EEXIST' && (error.syscall === 'link' || error.syscall === 'copyfile')) return 'other';
    throw new CommandError(EXIT.jobFailed, `${target} can't be stored: ${diskFault(error)}`);
  }
}

/** @param at the folder of the file */
async function store(
  client: Promptq,
  source: Source,
  { at, file }: { readonly at: string; readonly file: string },
): Promise<Downloaded> {
  // Nobody else who may write to the folder can guess the name, and make it a link.
  const part = join(at, `.promptq-${randomUUID()}.part`);
  try {
    await repeat(async () => await fetchInto(client, part, source), client.policy);
    await place(part, file);
    return 'stored';
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

/** What is there instead of a download; undefined: nothing. Only a plain file is read. */
async function existing(path: string, sha256: string): Promise<Exclude<Downloaded, 'stored'> | undefined> {
  const found = await lstat(path).catch(unlessAbsent);
  if (found === undefined || !found.isFile()) return found && 'other';
  const hash = createHash('sha256');
  await pipeline((await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)).createReadStream(), hash);
  return hash.digest('hex') === sha256 ? 'there' : 'other';
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

async function fetchInto(client: Promptq, target: string, source: Source): Promise<void> {
  const file = await open(target, 'w', 0o644);
  try {
    await fetchWith(client, source, async (bytes) => await file.writeFile(bytes));
  } finally {
    await file.close();
  }
}

/**
 * Fetches a file piece by piece.
 * @throws TransientError if it is cut off or is not the file that the job stored, which is known only at its end
 */
export async function fetchWith(
  client: Promptq,
  { id, attachment: { path, name, attempt, sha256 } }: Source,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const asBytes = { headers: { accept: 'application/octet-stream' }, parseAs: 'stream' } as const;
  const { response } = await answerOf(
    name === undefined
      ? client.api.GET('/api/v1/jobs/{id}/files/content', {
          params: { path: { id }, query: { path, attempt } },
          ...asBytes,
        })
      : client.api.GET('/api/v1/jobs/{id}/attachments/{name}', {
          params: { path: { id, name }, query: { attempt } },
          ...asBytes,
        }),
  );
  const hash = createHash('sha256');
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read().catch(lost)) ?? { done: true, value: undefined };
    if (done) break;
    hash.update(value);
    await write(value);
  }
  if (hash.digest('hex') !== sha256) throw new TransientError(MISMATCH);
}

function lost(error: unknown): never {
  throw new TransientError(`the download was cut off: ${networkFault(error)}`, { cause: error });
}
