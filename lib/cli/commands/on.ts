import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import { STARTING_EVENTS } from '../../contract/automation-choices.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type AutomationJobOptions, automationJob } from '../templates/automation-job.ts';

type StartingEvent = (typeof STARTING_EVENTS)[number];

interface Options extends AutomationJobOptions {
  readonly event?: readonly StartingEvent[];
  readonly ofProject?: string;
  readonly ofProfile?: string;
  readonly ofTemplate?: string;
  readonly ofAutomation?: string;
  readonly ofCreator?: string;
  readonly overlap?: 'skip' | 'queue' | 'replace';
  readonly pauseAfter?: number;
}

/** Creates an automation that events of other jobs start. */
export const run: CommandRun<Options> = async (context, [name = '', ...texts], options) => {
  const { terminal } = context;
  const { event: types = [], overlap, pauseAfter, json } = options;
  const unknown = types.find((type) => !STARTING_EVENTS.includes(type));
  if (types.length === 0 || unknown !== undefined)
    throw usageError(`give --event with one of ${STARTING_EVENTS.join(', ')}`);
  const described = await automationJob(context, async () => await clientOf(context), texts, options);
  const { api } = await clientOf(context);
  const { ofProject: project, ofProfile: profile, ofTemplate: template } = options;
  const { ofAutomation: automation, ofCreator: creator } = options;
  const wanted = Object.entries({ project, profile, template, automation, creator });
  const filter = Object.fromEntries(wanted.filter(([, value]) => value !== undefined));
  const body: Schemas['AutomationCreation'] = {
    name,
    trigger: { event: { types: [...types], filter } },
    ...described,
    ...(overlap !== undefined && { overlap }),
    ...(pauseAfter !== undefined && { pause_after_failures: pauseAfter }),
  };
  const made = await dataOf(api.POST('/api/v1/automations', { body }));
  if (json) await terminal.printJson(made);
  else await terminal.note(`created ${made.id}; it acts on events from now on`);
  return EXIT.succeeded;
};
