import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { recountStats } from '../../../../lib/stats/counting/recount-stats.ts';
import { aJob } from '../../jobs/a-job.ts';

const NAMES = { jobsTable: 'jobs', registryTable: 'registry' };
const USAGE = { input_tokens: 5, cached_input_tokens: 0, output_tokens: 3, reasoning_output_tokens: 0 };

/** A table whose scan of jobs takes a request for each of the pages, and which has these items of the registry. */
function tableOf(pages: readonly (readonly object[])[], stored: readonly { kind: string }[] = []) {
  const send = async (command: ScanCommand) => {
    const { ExclusiveStartKey, ExpressionAttributeValues } = command.input;
    if (!(command instanceof ScanCommand)) {
      const kind: unknown = ExpressionAttributeValues?.[':kind'];
      return { Items: stored.filter((item) => item.kind === kind) };
    }
    const at = Number(ExclusiveStartKey?.page ?? 0);
    const { ProjectionExpression: alias, ExpressionAttributeNames: names } = command.input;
    const name = names?.[alias ?? ''] ?? '';
    const shown = (item: object) => (alias === undefined ? item : { [name]: new Map(Object.entries(item)).get(name) });
    return { Items: pages[at]?.map(shown), ...(at + 1 < pages.length && { LastEvaluatedKey: { page: at + 1 } }) };
  };
  return { send } as unknown as DynamoDBDocumentClient;
}

it('the statistics of all pages are compared by project and day, their tokens also over all days and models', async () => {
  const ended = { status: 'SUCCEEDED', finished_at: '2026-11-20T10:00:30.000Z', usage: USAGE } as const;
  const pages = [[aJob({ id: 'a', ...ended })], [aJob({ id: 'b', ...ended, model_used: 'm', project_id: 'other' })]];
  const tokens = { t_in: 10, t_out: 6 };
  const stored = [
    { kind: 'project-figures', id: 'local_project', n_SUCCEEDED: 1, t_in: 5, t_out: 3, active_at: 'then' },
    { kind: 'project-figures', id: 'other', n_SUCCEEDED: 1, t_in: 5, t_out: 3 },
    { kind: 'day-figures', id: '2026-11-20', n_SUCCEEDED: 2, ...tokens },
    { kind: 'model-figures', id: 'm', t_in: 5, t_out: 3 },
    { kind: 'model-figures', id: '(default of practice)', t_in: 5, t_out: 3 },
  ];
  expect(await recountStats(tableOf(pages, stored), NAMES)).toEqual({ jobs: 2, differences: [] });
  const wrong = [
    { ...stored[0], kind: 'project-figures', t_in: 6 },
    { kind: 'project-figures', id: 'gone', n_FAILED: 1 },
    { ...stored[2], kind: 'day-figures', n_SUCCEEDED: 3, t_out: 7 },
    ...stored.slice(3, 4),
  ];
  const { differences } = await recountStats(tableOf(pages, wrong), NAMES);
  const shown = differences.map(({ item, attribute, kept, counted }) => `${item} ${attribute}: ${kept} ${counted}`);
  expect(shown.toSorted()).toEqual([
    'all days t_out: 7 6',
    'all models t_in: 5 10',
    'all models t_out: 3 6',
    'day-figures 2026-11-20 n_SUCCEEDED: 3 2',
    'project-figures gone n_FAILED: 1 0',
    'project-figures local_project t_in: 6 5',
    'project-figures other n_SUCCEEDED: 0 1',
    'project-figures other t_in: 0 5',
    'project-figures other t_out: 0 3',
  ]);
});
