import { join } from 'node:path';
import { dataOf } from '../../client/data-of.ts';
import { errorSentence } from '../../client/error-sentence.ts';
import { RequestError } from '../../client/errors.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { table } from '../base/table.ts';
import { download } from '../jobs/download.ts';

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
  if (wanted.length > 0 && output === undefined) throw usageError('name the folder to download into: --output');
  const client = await stoppableClient(context);
  const query = attempt === undefined ? {} : { attempt };
  const list = await dataOf(client.api.GET('/api/v1/jobs/{id}/attachments', { params: { path: { id }, query } }));
  const items = chosen(list.items, wanted);
  const faults = output === undefined ? [] : await downloadAll(context, client, { id, items, folder: output });
  if (json) await context.terminal.printJson(list);
  else if (output === undefined) await context.terminal.print(table(['PATH', 'BYTES', 'TYPE'], list.items.map(row)));
  if (faults.length === 0) return EXIT.succeeded;
  const isFailed = faults.some(({ exitCode }) => exitCode !== EXIT.usage);
  throw new CommandError(isFailed ? EXIT.jobFailed : EXIT.usage, faults.map(({ message }) => message).join('\n'));
}

/**
 * Downloads files into a folder. A file that can't be stored keeps no other one from being downloaded.
 * @returns a fault for each that is not stored
 * @throws RequestError, UnreachableError that would meet every file, CommandError if it is interrupted; those before it
 *   are noted
 */
async function downloadAll(
  { terminal }: Context,
  client: Promptq,
  {
    id,
    items,
    folder,
  }: { readonly id: string; readonly items: readonly Schemas['Attachment'][]; readonly folder: string },
): Promise<readonly CommandError[]> {
  const faults: CommandError[] = [];
  for (const attachment of items)
    try {
      const target = targetIn(folder, attachment.path);
      const became = await download(client, { id, attachment, target });
      if (became === 'other')
        faults.push(new CommandError(EXIT.usage, `another file exists already; it is kept: ${target}`));
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

/** @throws CommandError for a path that would leave the folder, or that git would read commands from: the job chose it */
function targetIn(folder: string, path: string): string {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\\')))
    throw new CommandError(EXIT.jobFailed, `${path} can't be stored below ${folder}`);
  if (parts.some(isGitFolder))
    throw new CommandError(EXIT.jobFailed, `${path} is not stored: git would run commands that it names`);
  return join(folder, ...parts);
}

/** Whether a name can be `.git` on NTFS, which drops dots, spaces and a stream at its end, or on HFS+: as git checks it. */
function isGitFolder(name: string): boolean {
  return /^(?:\.git|git~1)[. ]*(?::|$)/i.test(name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ''));
}
