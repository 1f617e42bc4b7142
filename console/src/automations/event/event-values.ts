import * as z from 'zod';
import { STARTING_EVENTS } from '../../../../lib/contract/automation-choices.ts';
import type { Schemas } from '../../api/client.ts';

type EventView = NonNullable<Schemas['Automation']['trigger']['event']>;
type EventTrigger = NonNullable<Schemas['AutomationCreation']['trigger']['event']>;

/** Events as people read them. */
const WORDS: Readonly<Record<(typeof STARTING_EVENTS)[number], string>> = {
  'job.succeeded': 'A job succeeds',
  'job.failed': 'A job fails',
  'job.cancelled': 'A job is cancelled',
  'question.opened': 'A job asks a question',
  'deployment.succeeded': 'A deployment succeeds',
  'deployment.failed': 'A deployment fails',
};
export const EVENTS = STARTING_EVENTS.map((value) => ({ value, label: WORDS[value] }));

/** The form's values of an event, as typed. Empty filters: any. */
export const EVENT_FIELDS = z.object({
  types: z.array(z.string()),
  project: z.string(),
  profile: z.string(),
  template: z.string(),
  automation: z.string(),
  creator: z.string(),
});
export type EventFields = z.output<typeof EVENT_FIELDS>;

export const NEW_EVENT: EventFields = {
  types: ['job.succeeded'],
  ...{ project: '', profile: '', template: '', automation: '', creator: '' },
};

/** The form's values for events. */
export function eventFieldsOf({ types, filter }: EventView): EventFields {
  const given = Object.entries(filter).map(([name, value]) => [name, value ?? '']);
  return { ...NEW_EVENT, types: [...types], ...Object.fromEntries(given) };
}

/** Events as sent. */
export function eventOf({ types, ...filters }: EventFields): EventTrigger {
  const given = Object.entries(filters).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]]));
  const event = { types, ...(given.length > 0 && { filter: Object.fromEntries(given) }) };
  return event as EventTrigger;
}

/** The events as a sentence. */
export function eventText({ types, filter }: EventView): string {
  const words = types.map((type) => EVENTS.find(({ value }) => value === type)?.label ?? type);
  const filters = Object.entries(filter).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  return `When ${words.map((word) => word.charAt(0).toLowerCase() + word.slice(1)).join(' or ')}${filters.length === 0 ? '' : `: ${filters.join(', ')}`}`;
}
