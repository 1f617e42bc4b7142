import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { ago, table } from '../base/table.ts';
import { saveExport } from './export.ts';

interface ExportsOptions {
  readonly output?: string;
  readonly delete?: true;
  readonly json?: true;
}

/** Lists exports, or downloads or deletes one. */
export const run: CommandRun<ExportsOptions> = async (context, [id], { output, delete: isDeleted, json }) => {
  const { terminal } = context;
  const client = await stoppableClient(context);
  if (id === undefined) {
    if (isDeleted || output !== undefined) throw usageError('name the export: promptq exports ID');
    const list = await dataOf(client.api.GET('/api/v1/exports'));
    if (json) await terminal.printJson(list);
    else if (list.items.length === 0) await terminal.note('no exports');
    else await terminal.print(table(HEADING, list.items.map(row), terminal.columns));
    return EXIT.succeeded;
  }
  const params = { path: { id } };
  if (isDeleted) {
    await dataOf(client.api.DELETE('/api/v1/exports/{id}', { params }));
    await terminal.print(`export ${id} is deleted`);
    return EXIT.succeeded;
  }
  const found = await dataOf(client.api.GET('/api/v1/exports/{id}', { params }));
  if (found.status === 'done') return await saveExport(context, client, found, { output, json });
  const why = found.error === null ? `${found.progress.rows} rows so far` : found.error;
  throw new CommandError(EXIT.jobFailed, `export ${id} is ${found.status}: ${why}`);
};

const HEADING = ['ID', 'KIND', 'FORMAT', 'STATUS', 'ROWS', 'AGE', 'EXPIRES', 'FILTER'];

function row({ id, kind, format, status, progress, created_at: at, expires_at, filter }: Schemas['ExportSummary']) {
  const conditions = Object.entries(filter).map(([name, value]) => `${name}=${value}`);
  return [id, kind, format, status, progress.rows, ago(at), expires_at.slice(0, 16), conditions.join(' ') || null];
}
