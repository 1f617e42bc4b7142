import { join } from 'node:path';
import { errorSentence } from '../../client/error-sentence.ts';
import { RequestError, TransientError } from '../../client/errors.ts';
import type { Promptq } from '../../client/promptq.ts';
import { repeat } from '../../client/repeat.ts';
import type { Context } from '../base/context.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { download, fetchWith, type StoredFile } from './download.ts';
import { GIT_FOLDER, gitFolderPaths, type Refusal, refusalOf } from './refused-names.ts';
import { TargetFolder } from './target-folder.ts';

/** Files of a job, and the command that fetches them. */
interface Fetched {
  readonly id: string;
  readonly items: readonly (StoredFile & { readonly bytes: number })[];
  readonly command: 'attachments' | 'files';
}

/** Writes files to stdout, whatever their names are. A file of which something has been written is not fetched again. */
export async function printFiles(
  { terminal }: Context,
  client: Promptq,
  { id, items }: Pick<Fetched, 'id' | 'items'>,
): Promise<number> {
  for (const attachment of items) {
    let isBegun = false;
    const write = async (bytes: Uint8Array) => {
      isBegun = true;
      await terminal.copyBytes(Buffer.from(bytes), '');
    };
    await repeat(async () => {
      await fetchWith(client, { id, attachment }, write).catch((error: unknown) => {
        if (!(isBegun && error instanceof TransientError)) throw error;
        throw new CommandError(
          EXIT.jobFailed,
          `what was printed of ${attachment.path} is not all of it: ${error.message}`,
        );
      });
    }, client.policy);
  }
  return EXIT.succeeded;
}

/**
 * Downloads files into a folder. A file that can't be stored keeps no other one from being downloaded.
 * @returns a fault for each that is not stored
 * @throws RequestError, UnreachableError that would meet every file, CommandError if it is interrupted or the folder can't
 *   be opened; faults before it are noted
 */
export async function downloadAll(
  { terminal }: Context,
  client: Promptq,
  { id, items, command, output }: Fetched & { readonly output: string },
): Promise<readonly CommandError[]> {
  const faults: CommandError[] = [];
  const folder = await TargetFolder.open(output);
  try {
    const paths = items.map(({ path }) => path);
    const ofGit = await gitFolderPaths(paths, async (path) => await folder.has(path));
    for (const attachment of items)
      try {
        const { path } = attachment;
        refuse({ id, command }, path, ofGit.has(path) ? GIT_FOLDER : refusalOf(path));
        const target = join(output, path);
        const became = await download(client, { id, attachment, folder });
        if (became === 'other')
          faults.push(new CommandError(EXIT.usage, `something else exists already; it is kept: ${target}`));
        else await terminal.note(`${target}, ${became === 'there' ? 'already there' : `${attachment.bytes} bytes`}`);
      } catch (error) {
        const fault = client.policy.signal?.aborted ? undefined : faultOf(attachment, error);
        if (fault !== undefined) faults.push(fault);
        else {
          for (const { message } of faults) await terminal.note(message);
          throw error;
        }
      }
    return faults;
  } finally {
    await folder.close();
  }
}

/** Throws faults as one. @throws CommandError if there are any */
export function throwFaults(faults: readonly CommandError[]): void {
  if (faults.length === 0) return;
  const isFailed = faults.some(({ exitCode }) => exitCode !== EXIT.usage);
  throw new CommandError(isFailed ? EXIT.jobFailed : EXIT.usage, faults.map(({ message }) => message).join('\n'));
}

/** The files with these paths; without paths, all. @throws CommandError for a path of none */
export function chosen<F extends Pick<StoredFile, 'path'>>(
  items: readonly F[],
  paths: readonly string[],
  what: string,
): readonly F[] {
  const unknown = paths.find((path) => !items.some((item) => item.path === path));
  if (unknown !== undefined) throw new CommandError(EXIT.notFound, `the job has no ${what} ${unknown}`);
  return paths.length === 0 ? items : items.filter(({ path }) => paths.includes(path));
}

/** The fault of one file; undefined for an error that each further file would meet. */
function faultOf({ path }: StoredFile, error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  if (!(error instanceof RequestError) || error.status === 401 || error.status === 403) return undefined;
  return new CommandError(EXIT.jobFailed, `${path} can't be downloaded: ${errorSentence(error)}`);
}

/** @throws CommandError for a file that is not stored under its name, which the job chose */
function refuse({ id, command }: Pick<Fetched, 'id' | 'command'>, path: string, refusal: Refusal | undefined): void {
  if (refusal === undefined) return;
  const instead = `\`promptq ${command} ${id} PATH > FILE\` stores it under another name`;
  throw new CommandError(EXIT.jobFailed, `${path} is not stored: ${refusal.reason}; ${instead}`);
}
