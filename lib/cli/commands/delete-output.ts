import { dataOf } from '../../client/data-of.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

/** Deletes the output of a job. */
export const run: CommandRun<{ readonly yes?: true; readonly json?: true }> = async (context, [id = ''], options) => {
  if (!options.yes) throw usageError(`a deletion of the output of ${id} can't be undone; confirm it with --yes`);
  const client = await clientOf(context);
  const path = { params: { path: { id } } };
  const deleted = await dataOf(client.api.POST('/api/v1/jobs/{id}/delete-output', path));
  if (options.json) {
    await context.terminal.printJson(deleted);
    return EXIT.succeeded;
  }
  await context.terminal.print(`the output of ${deleted.id} is deleted`);
  if (deleted.copies.length > 0)
    await context.terminal.note(
      `these jobs continue it or follow from it, and may repeat some: ${deleted.copies.join(', ')}`,
    );
  return EXIT.succeeded;
};
