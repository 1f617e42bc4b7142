import { join } from 'node:path';
import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import { clientOf } from '../base/client-of.ts';
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
  const client = await clientOf(context);
  const query = attempt === undefined ? {} : { attempt };
  const list = await dataOf(client.api.GET('/api/v1/jobs/{id}/attachments', { params: { path: { id }, query } }));
  const kept: string[] = [];
  if (output !== undefined)
    for (const item of chosen(list.items, wanted)) {
      const target = targetIn(output, item.path);
      const became = await download(client, { id, attachment: item, target });
      if (became === 'other') kept.push(target);
      else await context.terminal.note(`${target}, ${became === 'there' ? 'already there' : `${item.bytes} bytes`}`);
    }
  if (json) await context.terminal.printJson(list);
  else if (output === undefined) await context.terminal.print(table(['PATH', 'BYTES', 'TYPE'], list.items.map(row)));
  if (kept.length > 0)
    throw new CommandError(EXIT.usage, `other files of these names exist already; they are kept: ${kept.join(', ')}`);
  return EXIT.succeeded;
}

function row({ path, bytes, content_type: type }: Schemas['Attachment']): (string | number)[] {
  return [path, bytes, type];
}

function chosen(items: readonly Schemas['Attachment'][], paths: readonly string[]): readonly Schemas['Attachment'][] {
  const unknown = paths.find((path) => !items.some((item) => item.path === path));
  if (unknown !== undefined) throw new CommandError(EXIT.notFound, `the job has no attachment ${unknown}`);
  return paths.length === 0 ? items : items.filter(({ path }) => paths.includes(path));
}

/** @throws CommandError for a path that would leave the folder: the job chose it */
function targetIn(folder: string, path: string): string {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\\')))
    throw new CommandError(EXIT.jobFailed, `the attachment ${path} can't be stored below ${folder}`);
  return join(folder, ...parts);
}
