import { dataOf } from '../../client/data-of.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { table } from '../base/table.ts';
import { chosen, downloadAll, printFiles, throwFaults } from '../jobs/fetch-files.ts';

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
  const items = chosen(list.items, wanted, 'attachment');
  if (isPrinted) return await printFiles(context, client, { id, items });
  const what = { id, items, command: 'attachments' } as const;
  const faults = output === undefined ? [] : await downloadAll(context, client, { ...what, output });
  if (json) await context.terminal.printJson(list);
  else if (output === undefined)
    await context.terminal.print(
      table(
        ['PATH', 'BYTES', 'TYPE'],
        list.items.map(({ path, bytes, content_type: type }) => [path, bytes, type]),
      ),
    );
  throwFaults(faults);
  return EXIT.succeeded;
}
