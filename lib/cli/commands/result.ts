import { dataOf } from '../../client/data-of.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { printAnswer, summary } from '../jobs/answer.ts';

export const run: CommandRun<{ readonly attempt?: number; readonly json?: true }> = async (
  context,
  [id = ''],
  { attempt, json },
) => {
  const client = await clientOf(context);
  const query = { ...(attempt !== undefined && { attempt }), ...(json && { full: '1' as const }) };
  const result = await dataOf(client.api.GET('/api/v1/jobs/{id}/result', { params: { path: { id }, query } }));
  if (json) await context.terminal.printJson(result);
  else {
    await printAnswer(context, client, result);
    await context.terminal.note(summary(result));
  }
  return EXIT.succeeded;
};
