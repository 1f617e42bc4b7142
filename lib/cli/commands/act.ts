import type { ActionName, ActionOptions } from '../../client/act.ts';
import { harmless } from '../../contract/input/harmless.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';

/** The command that acts on a job. */
export function acting(name: string): CommandRun<ActionOptions & { readonly json?: true }> {
  return async (context, [id = ''], { json, ...options }) => {
    const client = await clientOf(context);
    const job = await client.act(name as ActionName, id, options);
    if (json) await context.terminal.printJson(job);
    else {
      await context.terminal.print(`${job.status}: ${harmless(job.state_reason.message)}`);
      if (options.tree === true) await context.terminal.print(`jobs cancelled: ${job.cancelled_jobs ?? 0}`);
    }
    return EXIT.succeeded;
  };
}
