import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { table } from '../base/table.ts';
import { wholeList } from '../jobs/pages.ts';

export const run: CommandRun<{ readonly json?: true }> = async (context, _args, { json }) => {
  const client = await clientOf(context);
  const list = await wholeList((query) => client.api.GET('/api/v1/profiles', { params: { query } }));
  const rows = list.items.map(({ name, agent, model, timeout, timeout_unit: unit, is_default: isDefault }) => [
    isDefault ? `${name} (default)` : name,
    agent,
    model,
    timeout === null ? null : `${timeout} ${unit}`,
  ]);
  if (json) await context.terminal.printJson(list);
  else await context.terminal.print(table(['NAME', 'AGENT', 'MODEL', 'TIMEOUT'], rows));
  return EXIT.succeeded;
};
