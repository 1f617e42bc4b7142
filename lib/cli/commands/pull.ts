import { harmless } from '../../contract/input/harmless.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';

import { pullChanges } from '../checkout/pull-changes.ts';
import { type ApplyOptions, repositoryAt } from '../jobs/apply-changes.ts';

interface PullOptions extends ApplyOptions {
  readonly json?: true;
}

export async function run(context: Context, [id = '']: readonly string[], options: PullOptions): Promise<number> {
  const repository = await repositoryAt(process.cwd(), context.env);
  const changes = await pullChanges(await stoppableClient(context), id, repository, options);
  if (options.json) await context.terminal.printJson(changes);
  else await context.terminal.print(harmless(changes.stat.trimEnd()) || 'The job changed nothing.');
  return EXIT.succeeded;
}
