import { dataOf } from '../../client/data-of.ts';
import { RequestError } from '../../client/errors.ts';
import { harmless } from '../../contract/input/harmless.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { table } from '../base/table.ts';

interface Options {
  readonly project?: string;
  readonly description?: string;
  readonly remove?: readonly string[];
  readonly json?: true;
}

/** Of jobs and parameters that name none. */
const DEFAULT_PROJECT = 'local_project';

/** Sets and removes parameters in the order given, one request each, then shows those of the project. */
export const run: CommandRun<Options> = async (context, settings, { project, description, remove = [], json }) => {
  const { terminal } = context;
  const set = settings.map(readSetting);
  if (description !== undefined && set.length === 0) throw usageError('--description needs NAME=VALUE');
  const { api } = await clientOf(context);
  const query = project === undefined ? {} : { project };
  for (const { name, value } of set) {
    const body = { value, ...(description !== undefined && { description }) };
    const { variable } = await dataOf(
      api.PUT('/api/v1/parameters/{name}', { params: { path: { name }, query }, body }),
    );
    await terminal.note(`parameter ${name} is set; jobs get it as ${variable}`);
  }
  for (const name of remove) {
    await dataOf(api.DELETE('/api/v1/parameters/{name}', { params: { path: { name }, query } })).catch(
      (error: unknown) => {
        if (!(error instanceof RequestError) || error.status !== 404) throw error;
        throw new CommandError(EXIT.notFound, `the project has no parameter ${harmless(name)}`);
      },
    );
    await terminal.note(`parameter ${name} is removed`);
  }
  const list = await dataOf(api.GET('/api/v1/parameters', { params: { query } }));
  if (list.items.length === 0) await terminal.note(`project ${project ?? DEFAULT_PROJECT} has no parameters`);
  const rows = list.items.map(({ name, value, description: about }) => [name, value, about]);
  if (json) await terminal.printJson(list);
  else await terminal.print(table(['NAME', 'VALUE', 'DESCRIPTION'], rows));
  return EXIT.succeeded;
};

/** The value is what follows the first `=`. @throws CommandError */
function readSetting(text: string): { name: string; value: string } {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`expected NAME=VALUE, received ${JSON.stringify(text)}`);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
