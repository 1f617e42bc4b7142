import { QUIET_EVENTS } from '../../../lib/contract/subscription-choices.ts';
import { eventText } from '../events/event-words.ts';
import type { Subscription } from './subscription-queries.ts';

/** The types that are sent unless others are chosen, in words. */
export const QUIET_TEXT = `${QUIET_EVENTS.slice(0, -1).map(eventText).join(', ')}, and ${eventText(QUIET_EVENTS.at(-1) ?? '')}`;

/** Whether these are the types that are sent by default. */
export function isQuiet(events: readonly string[]): boolean {
  return events.length === QUIET_EVENTS.length && QUIET_EVENTS.every((type) => events.includes(type));
}

/** What a subscription sends, in one line. */
export function eventsText({ events, digest }: Pick<Subscription, 'events' | 'digest'>): string {
  const named = events.length > 3 ? `${events.length} types` : events.map(eventText).join(', ');
  const what = isQuiet(events) ? 'What asks for people, and failures' : named;
  return digest === 'hourly' ? `${what}; once an hour` : what;
}

/** The filter of a subscription, as `project web, profile review`; undefined without one. */
export function filterText({ filter }: Pick<Subscription, 'filter'>): string | undefined {
  const given = Object.entries(filter).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  return given.length === 0 ? undefined : given.join(', ');
}
