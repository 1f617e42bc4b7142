import * as z from 'zod';
import { EVENT_TYPES } from '../event-types.ts';
import { knownOrLater } from '../later-code.ts';
import { LIMITS } from '../limits.ts';
import { integerParameter, timeParameter, timestamp } from './fields/text.ts';
import { projectName } from './jobs/job-creation.ts';

const { days, list } = LIMITS.events;

const TYPES = EVENT_TYPES.join(', ');

/** The place of an event in the feed: its packet, and its number in that. */
const POSITION = /^\d{1,12}-\d{1,4}$/;

const types = z
  .string()
  .max(1_000)
  .transform((text) => text.split(',').map((type) => type.trim()))
  .refine((names) => names.every((name) => (EVENT_TYPES as readonly string[]).includes(name)), {
    error: `expected types separated by commas, of ${TYPES}`,
  })
  .optional();

export const eventsQuery = z.object({
  after: z
    .string()
    .regex(/^(?:\d{1,12}-\d{1,4}|end)$/, 'expected the id of an event, the next_cursor of a page, or end')
    .optional()
    .meta({
      description:
        'Only events after this one: the `id` of an event, or the `next_cursor` of a page. `end`: only events that are still to come.',
    }),
  since: timeParameter('Without `after`: only events that were recorded at this time or later. Default: all.'),
  limit: integerParameter({ ...list, description: 'Maximum number of events to return.' }),
  wait: integerParameter({
    min: 0,
    max: LIMITS.statusWaitSeconds,
    description: 'Seconds to wait for an event if there is none yet. A client that follows the feed repeats that call.',
  }),
  job: z.string().min(1).max(100).optional().meta({
    description: 'Only events of the job with this id, and of its deployments.',
  }),
  project: projectName.optional().meta({ description: 'Only events of the project with this id or name.' }),
  type: types.meta({
    description: `Only events of these types, separated by commas: ${TYPES}.`,
    override: { type: 'string', example: 'job.succeeded,job.failed' },
  }),
  template: z.string().min(1).max(LIMITS.nameLength).optional().meta({
    description: 'Only events of jobs that were created from this template.',
  }),
  automation: z.string().min(1).max(LIMITS.nameLength).optional().meta({
    description: 'Only events of this automation, and of jobs that it created.',
  }),
});

export const eventsHeaders = z.object({
  'last-event-id': z.string().regex(POSITION, 'expected the id of an event, such as 12-1').optional().meta({
    description:
      'With `Accept: text/event-stream`: the `id` of the last event received. It takes precedence over `after`.',
  }),
});

const subject = z.object({
  kind: knownOrLater(['automation', 'account', 'worker', 'deployment']),
  id: z.string().meta({ description: 'Id of the automation, or of the binding that deployed.' }),
  name: z.string(),
  why: z.string().nullable().meta({ description: 'A sentence of the service about what happened.' }),
});

export const eventView = z
  .object({
    id: z.string().meta({ description: 'Its place in the feed. Pass it as `after`.', example: '1042-1' }),
    type: z
      .enum(EVENT_TYPES)
      .meta({ description: 'What happened, of all that the change did the first in this list.' }),
    time: timestamp.meta({ description: "When it happened, by the table's clock." }),
    job_id: z.string().nullable().meta({ description: 'Null if the event concerns no job.' }),
    sequence: z.number().int().nullable().meta({
      description:
        'Counts the changes of this job from 1, without a gap: it is the version of the job after the change. Null if the event is no change of a job.',
    }),
    project_id: z.string().nullable(),
    project: z.string().nullable().meta({ description: 'Name of the project at that time.' }),
    status: z.string().nullable().meta({ description: 'State of the job after the change.', example: 'RUNNING' }),
    reason: z.string().nullable().meta({
      description: 'Code of the reason of that state; of an automation, why it paused, skipped or failed.',
      example: 'claimed',
    }),
    attempt: z.number().int().nullable().meta({ description: 'Number of the newest attempt; 0: none has begun.' }),
    question: z
      .object({ id: z.string(), state: z.string() })
      .nullable()
      .meta({ description: 'The question that the change opened, answered or closed.' }),
    profile: z.string().nullable().meta({ description: 'Name of the profile of the job, or that uses the account.' }),
    created_by: z.string().nullable().meta({ description: 'Who created the job.' }),
    template: z.string().nullable().meta({ description: 'Name of the template that the job was created from.' }),
    automation: z
      .string()
      .nullable()
      .meta({ description: 'Id of the automation that created the job, or that the event concerns.' }),
    subject: subject.nullable().default(null).meta({
      description: 'What the event concerns, if that is not the job itself.',
    }),
  })
  .meta({ id: 'Event' });
export type EventView = z.output<typeof eventView>;

/** An event before it has its place in the feed. */
export type NewEvent = Omit<EventView, 'id' | 'subject'> & Partial<Pick<EventView, 'subject'>>;

/** `GET /events`. */
export const eventPage = z
  .object({
    items: z.array(eventView).meta({
      description: 'Oldest first. With filters, a page can contain fewer events than `limit` although more follow.',
    }),
    next_cursor: z.string().meta({ description: 'Pass it as `after` to continue. Every page has one.' }),
    has_more: z.boolean().meta({ description: 'Whether more of the feed can be read at once.' }),
    missed: z.boolean().meta({
      description: `Whether events after \`after\` may have been removed, because events are kept for ${days} days.`,
    }),
  })
  .meta({ id: 'EventPage' });

/** The feed as server-sent events. */
export const eventStream = z.string().meta({
  description: [
    'Server-sent events, from `after` or behind `Last-Event-ID`. Unnamed events contain an `Event` as `data`, and its `id`.',
    '`event: missed` without an id says that events before the next one may have been removed for their age.',
    '`event: error` (`data`: `{"error"}`) is the last event when the caller loses access.',
    `After ${LIMITS.follow.seconds} seconds the stream ends with \`event: continue\`. Reconnect with \`Last-Event-ID\`, as an EventSource does at once. A comment is sent after ${LIMITS.follow.silenceSeconds} seconds of silence.`,
    `A deployment limits how many streams it serves at a time, with followed logs (\`followStreams\`). Beyond the limit, a stream sends the events that exist and ends with \`event: continue\` and \`retry: ${LIMITS.follow.pollSeconds * 1000}\`.`,
  ].join('\n'),
  example:
    'id: 1042-1\ndata: {"id":"1042-1","type":"job.succeeded","time":"2026-11-20T10:41:00.000Z","job_id":"job_4k2q0v9m6s8x1c3b5n7h2j4d6f","sequence":3}\n\n',
});
