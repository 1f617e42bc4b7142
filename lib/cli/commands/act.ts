import type { ActionName, RetryFrom } from '../../client/act.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { harmless } from '../base/terminal.ts';

/** The command that acts on a job. */
export function acting(name: string): CommandRun<{ readonly json?: true; readonly from?: RetryFrom }> {
  return async (context, [id = ''], { json, from }) => {
    const client = await clientOf(context);
    const job = await client.act(name as ActionName, id, { from });
    if (json) await context.terminal.printJson(job);
    else await context.terminal.print(`${job.status}: ${harmless(job.state_reason.message)}`);
    return EXIT.succeeded;
  };
}
