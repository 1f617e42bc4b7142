import { readFile } from 'node:fs/promises';
import { parse } from 'node:path';
import { text } from 'node:stream/consumers';
import { dataOf } from '../../client/data-of.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun, Context } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { ago, table } from '../base/table.ts';

interface Options {
  readonly project?: string;
  readonly name?: string;
  readonly job?: string;
  readonly json?: true;
}

/** Lists the diagrams of a project, or shows, saves or deletes one. */
export const run: CommandRun<Options> = async (context, [action = 'list', target], options) => {
  const { terminal } = context;
  const { project, json } = options;
  const query = project === undefined ? {} : { project };
  if (action === 'list') {
    const client = await clientOf(context);
    const list = await dataOf(client.api.GET('/api/v1/diagrams', { params: { query } }));
    const rows = list.items.map(({ name, bytes, source_job, updated_at }) => [
      name,
      bytes,
      source_job,
      ago(updated_at),
    ]);
    if (json) await terminal.printJson(list);
    else await terminal.print(table(['NAME', 'BYTES', 'MADE BY', 'CHANGED'], rows));
    return EXIT.succeeded;
  }
  if (target === undefined)
    throw usageError(action === 'save' ? 'save needs a file; - is stdin' : `${action} needs the name of a diagram`);
  const write = action === 'save' ? await readDiagram(context, target, options) : undefined;
  const client = await clientOf(context);
  const params = { path: { name: write?.name ?? target }, query };
  const one =
    write !== undefined
      ? client.api.PUT('/api/v1/diagrams/{name}', { params, body: write.body })
      : action === 'delete'
        ? client.api.DELETE('/api/v1/diagrams/{name}', { params })
        : client.api.GET('/api/v1/diagrams/{name}', { params });
  const diagram = await dataOf(one);
  if (json) await terminal.printJson(diagram);
  else if (action === 'show')
    await terminal.copyBytes(Buffer.from(diagram.text), diagram.text.endsWith('\n') ? '' : '\n');
  else await terminal.note(`${action === 'save' ? 'saved' : 'deleted'} ${diagram.name} of ${diagram.project}`);
  return EXIT.succeeded;
};

/** The text of a file, and the name of the file or of the option. */
async function readDiagram({ stdin }: Context, file: string, { name, job }: Options) {
  if (file === '-' && name === undefined) throw usageError('a diagram from stdin needs --name');
  const read = async () => (file === '-' ? await text(stdin) : await readFile(file, 'utf8'));
  const content = await read().catch((error: Error) => {
    throw usageError(`can't read the diagram: ${error.message}`);
  });
  return { name: name ?? parse(file).name, body: { text: content, ...(job !== undefined && { source_job: job }) } };
}
