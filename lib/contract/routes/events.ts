import { EVENT_STREAM } from '../event-stream.ts';
import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { eventPage, eventStream, eventsHeaders, eventsQuery } from '../schemas/event.ts';

export const listEvents = defineRoute({
  id: 'events.list',
  method: 'GET',
  path: '/events',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'List events',
  description: `What happened in the last ${LIMITS.events.days} days, in one order, oldest first. Each change of a job is one event; others concern automations, deployments, accounts and workers. Reading from the same place again gives the same events. With \`Accept: ${EVENT_STREAM}\`, they are streamed as they come.`,
  query: eventsQuery,
  headers: eventsHeaders,
  responses: { 200: { description: 'Events.', schema: eventPage, otherMedia: { [EVENT_STREAM]: eventStream } } },
  errors: ['invalid_request'],
  mode: 'stream',
  access: { registry: 'read', followSlots: 'write' },
});
