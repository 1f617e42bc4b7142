import * as z from 'zod';
import { STARTING_EVENTS } from '../automation-choices.ts';
import { knownOrLater } from '../later-code.ts';
import { LIMITS } from '../limits.ts';
import { unknownMember } from './fields/entry.ts';
import { nameText } from './fields/name.ts';
import { projectName } from './jobs/job-creation.ts';

const nameOf = (what: string) =>
  nameText(LIMITS.nameLength)
    .optional()
    .meta({ description: `Only events of jobs ${what}.` });

const filterShape = {
  project: projectName.optional().meta({ description: 'Only events of the project with this id or name.' }),
  profile: nameOf('with this profile'),
  template: nameOf('that were created from this template'),
  automation: nameOf('that the automation with this id created'),
  creator: nameOf('that this token or person created'),
};

const shape = {
  types: z
    .array(z.enum(STARTING_EVENTS))
    .min(1)
    .max(STARTING_EVENTS.length)
    .meta({ description: 'Types of the events that start a job.', example: ['job.succeeded'] }),
  filter: z
    .strictObject(filterShape, { error: unknownMember(filterShape) })
    .optional()
    .meta({ description: 'Only events that fit all its members. Default: all.' }),
};

/** What events an automation is set to. */
export const eventTrigger = z.strictObject(shape, { error: unknownMember(shape) });
export type EventTrigger = z.output<typeof eventTrigger>;

/** The events of an automation as read. */
export const eventTriggerView = z.object({
  types: z.array(knownOrLater(STARTING_EVENTS)),
  filter: z.object({
    project: z.string().nullable(),
    profile: z.string().nullable(),
    template: z.string().nullable(),
    automation: z.string().nullable(),
    creator: z.string().nullable(),
  }),
});
