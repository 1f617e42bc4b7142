import { harmless } from '../../contract/input/harmless.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { attend, exitCodeOf, type WaitOptions } from '../jobs/attend.ts';

export const run: CommandRun<WaitOptions & { readonly json?: true }> = async (context, [id = ''], options) => {
  const state = await attend(context, await clientOf(context), { id, options });
  if (options.json) await context.terminal.printJson(state);
  else await context.terminal.print(`${state.status}: ${harmless(state.state_reason.message)}`);
  return exitCodeOf(state);
};
