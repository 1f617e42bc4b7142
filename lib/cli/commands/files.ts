import { dataOf } from '../../client/data-of.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { table } from '../base/table.ts';
import { chosen, downloadAll, printFiles, throwFaults } from '../jobs/fetch-files.ts';
import { keptFiles, noteMasked } from '../jobs/kept-files.ts';

interface FilesOptions {
  readonly output?: string;
  readonly attempt?: number;
  readonly json?: true;
}

export async function run(
  context: Context,
  [id = '', path]: readonly string[],
  { output, attempt, json }: FilesOptions,
): Promise<number> {
  const { terminal } = context;
  const client = await stoppableClient(context);
  const query = attempt === undefined ? {} : { attempt };
  const list = await dataOf(client.api.GET('/api/v1/jobs/{id}/files', { params: { path: { id }, query } }));
  const [file] = path === undefined ? [] : chosen(list.items, [path], 'file');
  if (file !== undefined && file.reason !== null)
    throw new CommandError(EXIT.notFound, `${file.path} is not kept: ${file.reason}`);
  const items = keptFiles(list).filter((kept) => path === undefined || kept.path === path);
  if (path !== undefined && output === undefined && !json) {
    await noteMasked(terminal, items);
    return await printFiles(context, client, { id, items });
  }
  const faults =
    output === undefined ? [] : await downloadAll(context, client, { id, items, command: 'files', output });
  if (output !== undefined) await noteMasked(terminal, items);
  if (json) await terminal.printJson(list);
  else if (output === undefined) {
    const rows = list.items.map(({ path: at, bytes, reason, masked }) => [
      at,
      bytes,
      reason ?? (masked ? 'kept, secrets masked' : 'kept'),
    ]);
    await terminal.print(table(['PATH', 'BYTES', 'STATE'], rows));
  }
  if (list.note !== null) await terminal.note(list.note);
  for (const { reason, count } of list.not_listed) await terminal.note(`not listed: ${count} or more (${reason})`);
  throwFaults(faults);
  return EXIT.succeeded;
}
