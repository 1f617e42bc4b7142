import { setTimeout as pause } from 'node:timers/promises';
import { createFollowableEvents } from '../../lib/api/runtime/events.ts';
import { handle } from '../../lib/api/serve.ts';
import { EVENT_STREAM } from '../../lib/contract/event-stream.ts';
import { listEvents as route } from '../../lib/contract/routes/events.ts';
import { followEvents } from '../../lib/events/follow-events.ts';
import { readEvents } from '../../lib/events/read-events.ts';

/** `GET /events` */
export const handler = handle(route, createFollowableEvents, async ({ query, headers }, call, events) => {
  if (!call.accepts(EVENT_STREAM)) return { body: await readEvents(events.feed, query) };
  const body = await followEvents({ ...events, pause, admit: call.reauthorize }, query, headers['last-event-id']);
  return { headers: { 'content-type': EVENT_STREAM }, body };
});
