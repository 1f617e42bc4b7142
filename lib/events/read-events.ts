import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { LIMITS } from '../contract/limits.ts';
import type { EventView, eventPage, eventsQuery } from '../contract/schemas/event.ts';
import { type EventFeed, type Place, readPlace, writePlace } from './event-feed.ts';

export type EventsQuery = z.output<typeof eventsQuery>;

/** Milliseconds between two looks at the feed's head. */
const POLL_MS = 1_000;

/** Where a reader begins. */
export async function startOf(feed: EventFeed, { after, since }: EventsQuery): Promise<Place> {
  if (after === 'end') return await feed.end();
  if (after !== undefined) return readPlace(after);
  return await feed.since(since === undefined ? 0 : Date.parse(since));
}

/** Whether an event is one that the query asks for. */
export function filterOf({ job, project, type, template, automation }: EventsQuery): (event: EventView) => boolean {
  return (event) =>
    (job === undefined || event.job_id === job) &&
    (project === undefined || event.project_id === project || event.project === project) &&
    (type === undefined || type.includes(event.type)) &&
    (template === undefined || event.template === template) &&
    (automation === undefined || event.automation === automation);
}

/** A page of the feed; without any event, as soon as there is one, or after `wait` seconds. */
export async function readEvents(feed: EventFeed, query: EventsQuery): Promise<z.input<typeof eventPage>> {
  const { limit = LIMITS.events.list.default, wait = 0 } = query;
  const end = performance.now() + wait * 1000;
  const passes = filterOf(query);
  let place = await startOf(feed, query);
  for (let missed = false; ; ) {
    const found = await feed.read(place, limit, passes);
    place = found.place;
    missed ||= found.missed;
    const left = end - performance.now();
    if (found.events.length > 0 || left <= 0)
      return { items: [...found.events], next_cursor: writePlace(place), has_more: found.more, missed };
    if (!found.more) await sleep(Math.min(POLL_MS, left));
  }
}
