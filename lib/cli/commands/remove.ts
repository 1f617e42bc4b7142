import { dataOf } from '../../client/data-of.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

/** Removes a job. */
export const run: CommandRun<{ readonly yes?: true; readonly json?: true }> = async (context, [id = ''], options) => {
  if (!options.yes) throw usageError(`a removal of ${id} can't be undone; confirm it with --yes`);
  const client = await clientOf(context);
  const removed = await dataOf(client.api.DELETE('/api/v1/jobs/{id}/data', { params: { path: { id } } }));
  await (options.json ? context.terminal.printJson(removed) : context.terminal.print(`${removed.id} is removed`));
  return EXIT.succeeded;
};
