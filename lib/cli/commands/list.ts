import { Option } from 'commander';
import type { paths } from '../../client/api-types.ts';
import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { ago, table } from '../base/table.ts';
import { LIST_OPTIONS } from '../jobs/list-options.ts';

type Query = NonNullable<paths['/api/v1/jobs']['get']['parameters']['query']>;

export const run: CommandRun<{ readonly json?: true }> = async (context, _args, options) => {
  const client = await clientOf(context);
  const query = { limit: 20, ...parametersOf(options) };
  const jobs = await dataOf(client.api.GET('/api/v1/jobs', { params: { query } }));
  const { terminal } = context;
  if (options.json) await terminal.printJson(jobs);
  else {
    if (jobs.items.length === 0) await terminal.note('no jobs');
    else
      await terminal.print(table(['ID', 'STATUS', 'AGE', 'PROJECT', 'TITLE'], jobs.items.map(row), terminal.columns));
    const total = `${jobs.items.length} of ${jobs.total}${jobs.total_complete ? '' : ' or more'}`;
    if (jobs.next_cursor !== null) await terminal.note(`${total}; next page: --cursor ${jobs.next_cursor}`);
  }
  return EXIT.succeeded;
};

/** The parameters of the list that the options set, which commander names in its own way. */
function parametersOf(options: object): Query {
  const values = options as Readonly<Record<string, unknown>>;
  const given = LIST_OPTIONS.map(({ parameter = '', flags }) => [parameter, values[new Option(flags).attributeName()]]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function row(job: Schemas['JobSummary']): string[] {
  const { id, status, state_reason: reason, created_at: created, project, title, prompt_preview: preview } = job;
  const isWaiting = status === 'QUEUED' && reason.code !== 'waiting_for_worker';
  return [id, isWaiting ? `${status} ${reason.code}` : status, ago(created), project, title ?? preview];
}
