import { dataOf } from '../../client/data-of.ts';
import type { Promptq } from '../../client/promptq.ts';
import { harmless } from '../../contract/input/harmless.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { pullChanges } from '../checkout/pull-changes.ts';
import { type ApplyOptions, repositoryAt } from '../jobs/apply-changes.ts';
import { downloadAll, throwFaults } from '../jobs/fetch-files.ts';
import { keptFiles, noteMasked } from '../jobs/kept-files.ts';

interface PullOptions extends ApplyOptions {
  readonly output?: string;
  readonly json?: true;
}

export async function run(
  context: Context,
  [id = '']: readonly string[],
  { output, ...options }: PullOptions,
): Promise<number> {
  const client = await stoppableClient(context);
  const job = await dataOf(client.api.GET('/api/v1/jobs/{id}', { params: { path: { id } } }));
  if (job.changes === null) return await pullFiles(context, client, { id, output: output ?? id, json: options.json });
  if (output !== undefined)
    throw usageError('--output is for a job without a repository; the changes of this one go into the repository here');
  const repository = await repositoryAt(process.cwd(), context.env);
  const changes = await pullChanges(client, { id, changes: job.changes }, repository, options);
  if (options.json) await context.terminal.printJson(changes);
  else await context.terminal.print(harmless(changes.stat.trimEnd()) || 'The job changed nothing.');
  return EXIT.succeeded;
}

/** Downloads the files that a job without a repository left in its folder. */
async function pullFiles(
  context: Context,
  client: Promptq,
  { id, output, json }: { readonly id: string; readonly output: string; readonly json: true | undefined },
): Promise<number> {
  const { terminal } = context;
  const list = await dataOf(client.api.GET('/api/v1/jobs/{id}/files', { params: { path: { id } } }));
  const items = keptFiles(list);
  if (items.length === 0)
    throw new CommandError(EXIT.notFound, `job ${id} has no files: ${list.note ?? 'none of its folder is kept'}`);
  const faults = await downloadAll(context, client, { id, items, command: 'files', output });
  await noteMasked(terminal, items);
  for (const { path, reason } of list.items) if (reason !== null) await terminal.note(`${path}: not kept: ${reason}`);
  if (json) await terminal.printJson(list);
  throwFaults(faults);
  return EXIT.succeeded;
}
