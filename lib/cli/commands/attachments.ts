import { join } from 'node:path';
import { dataOf } from '../../client/data-of.ts';
import { errorSentence } from '../../client/error-sentence.ts';
import { RequestError, TransientError } from '../../client/errors.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { repeat } from '../../client/repeat.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { table } from '../base/table.ts';
import { download, fetchWith } from '../jobs/download.ts';
import { GIT_FOLDER, gitFolderPaths, type Refusal, refusalOf } from '../jobs/refused-names.ts';
import { TargetFolder } from '../jobs/target-folder.ts';

interface AttachmentOptions {
  readonly output?: string;
  readonly attempt?: number;
  readonly json?: true;
}

export async function run(
  context: Context,
  [id = '', ...paths]: readonly string[],
  { output, attempt, json }: AttachmentOptions,
): Promise<number> {
  // Commander passes undefined for an absent list.
  const wanted = paths.filter((path) => path !== undefined);
  const isPrinted = wanted.length === 1 && output === undefined && !json;
  if (wanted.length > 0 && output === undefined && !isPrinted)
    throw usageError('name the folder to download into: --output; without it, one file is printed');
  const client = await stoppableClient(context);
  const query = attempt === undefined ? {} : { attempt };
  const list = await dataOf(client.api.GET('/api/v1/jobs/{id}/attachments', { params: { path: { id }, query } }));
  const items = chosen(list.items, wanted);
  if (isPrinted) return await print(context, client, id, items);
  const faults = output === undefined ? [] : await downloadAll(context, client, { id, items, output });
  if (json) await context.terminal.printJson(list);
  else if (output === undefined) await context.terminal.print(table(['PATH', 'BYTES', 'TYPE'], list.items.map(row)));
  if (faults.length === 0) return EXIT.succeeded;
  const isFailed = faults.some(({ exitCode }) => exitCode !== EXIT.usage);
  throw new CommandError(isFailed ? EXIT.jobFailed : EXIT.usage, faults.map(({ message }) => message).join('\n'));
}

/** Writes files to stdout, whatever their names are. A file of which something has been written is not fetched again. */
async function print(
  { terminal }: Context,
  client: Promptq,
  id: string,
  items: readonly Schemas['Attachment'][],
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

interface Download {
  readonly id: string;
  readonly items: readonly Schemas['Attachment'][];
  readonly output: string;
}

/**
 * Downloads files into a folder. A file that can't be stored keeps no other one from being downloaded.
 * @returns a fault for each that is not stored
 * @throws RequestError, UnreachableError that would meet every file, CommandError if it is interrupted or the folder can't
 *   be opened; faults before it are noted
 */
async function downloadAll(
  { terminal }: Context,
  client: Promptq,
  { id, items, output }: Download,
): Promise<readonly CommandError[]> {
  const faults: CommandError[] = [];
  const folder = await TargetFolder.open(output);
  try {
    const paths = items.map(({ path }) => path);
    const ofGit = await gitFolderPaths(paths, async (path) => await folder.has(path));
    for (const attachment of items)
      try {
        const { path } = attachment;
        refuse(id, path, ofGit.has(path) ? GIT_FOLDER : refusalOf(path));
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

/** The fault of one file; undefined for an error that each further file would meet. */
function faultOf({ path }: Schemas['Attachment'], error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  if (!(error instanceof RequestError) || error.status === 401 || error.status === 403) return undefined;
  return new CommandError(EXIT.jobFailed, `${path} can't be downloaded: ${errorSentence(error)}`);
}

function row({ path, bytes, content_type: type }: Schemas['Attachment']): (string | number)[] {
  return [path, bytes, type];
}

function chosen(items: readonly Schemas['Attachment'][], paths: readonly string[]): readonly Schemas['Attachment'][] {
  const unknown = paths.find((path) => !items.some((item) => item.path === path));
  if (unknown !== undefined) throw new CommandError(EXIT.notFound, `the job has no attachment ${unknown}`);
  return paths.length === 0 ? items : items.filter(({ path }) => paths.includes(path));
}

/** @throws CommandError for a file that is not stored under its name, which the job chose */
function refuse(id: string, path: string, refusal: Refusal | undefined): void {
  if (refusal === undefined) return;
  const instead = `\`promptq attachments ${id} PATH > FILE\` stores it under another name`;
  throw new CommandError(EXIT.jobFailed, `${path} is not stored: ${refusal.reason}; ${instead}`);
}
