import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { ago, table } from '../base/table.ts';
import { wholeList } from '../jobs/pages.ts';

export const run: CommandRun<{ readonly json?: true }> = async (context, _args, { json }) => {
  const client = await clientOf(context);
  const list = await wholeList((query) => client.api.GET('/api/v1/projects', { params: { query } }));
  const rows = list.items.map(({ name, job_counts: counts, last_activity_at: last }) => [
    name,
    counts.QUEUED,
    counts.RUNNING,
    counts.SUCCEEDED,
    counts.FAILED,
    last === null ? null : ago(last),
  ]);
  if (json) await context.terminal.printJson(list);
  else await context.terminal.print(table(['NAME', 'QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'ACTIVE'], rows));
  return EXIT.succeeded;
};
