import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import type { HookStyle } from '../../contract/automation-choices.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type AutomationJobOptions, automationJob } from '../templates/automation-job.ts';

interface Options extends AutomationJobOptions {
  readonly style?: HookStyle;
  readonly header?: string;
  readonly prefix?: string;
  readonly drafts?: true;
}

/** Creates an automation that is started by a hook, and shows its address and its secret. */
export const run: CommandRun<Options> = async (context, [name = '', ...texts], options) => {
  const { terminal } = context;
  const { style = 'standard_webhooks', header, prefix, drafts = false, json } = options;
  const described = await automationJob(context, async () => await clientOf(context), texts, options);
  const { api } = await clientOf(context);
  const verify = { style, ...(header !== undefined && { header }), ...(prefix !== undefined && { prefix }) };
  const body: Schemas['AutomationCreation'] = { name, trigger: { hook: { verify, drafts } }, ...described };
  const made = await dataOf(api.POST('/api/v1/automations', { body }));
  if (json) await terminal.printJson(made);
  else {
    await terminal.note(`created ${made.id}; its secret is not shown again`);
    await terminal.print(`path    ${made.trigger.hook?.path ?? ''}\nsecret  ${made.trigger.hook?.secret ?? ''}`);
  }
  return EXIT.succeeded;
};
