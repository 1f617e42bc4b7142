import * as z from 'zod';
import { EVENT_TYPES } from '../event-types.ts';
import { knownOrLater } from '../later-code.ts';
import { LIMITS } from '../limits.ts';
import { DELIVERY_STATES, type DeliveryState, DIGESTS, QUIET_EVENTS } from '../subscription-choices.ts';
import { unknownMember } from './fields/entry.ts';
import { NAME_NOTE, nameText } from './fields/name.ts';
import { timestamp } from './fields/text.ts';
import { projectName } from './jobs/job-creation.ts';
import { targetView, targetWrite } from './subscription-target.ts';

const { nameLength, answersFrom, retryHours, digestEvents, deliveries, deliveryDays } = LIMITS.subscriptions;

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

const events = z
  .array(z.enum(EVENT_TYPES))
  .min(1)
  .max(EVENT_TYPES.length)
  .meta({ description: `Types of the events that are sent. Default: ${QUIET_EVENTS.join(', ')}.` });

const shape = {
  events: events.optional(),
  filter: z
    .strictObject(filterShape, { error: unknownMember(filterShape) })
    .optional()
    .meta({ description: 'Only events that fit all its members. It is replaced as a whole. Default: all.' }),
  digest: z
    .enum(DIGESTS)
    .optional()
    .meta({
      description: `\`none\`: each event is sent at once. \`hourly\`: one message after each full hour in which something happened, with at most ${digestEvents} events. Default: \`none\`.`,
    }),
  answers_from: z
    .array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected the id of a person in the messenger'))
    .max(answersFrom)
    .optional()
    .meta({ description: 'Ids of the persons who may answer questions in the messenger. Default: nobody.' }),
  enabled: z.boolean().optional().meta({
    description: 'Default: true. Events that happen while it is disabled are not sent later.',
  }),
};

/** `POST /subscriptions`. */
export const subscriptionCreation = z
  .strictObject({
    name: nameText(nameLength).meta({
      description: `Its name, which cannot be changed, and from which its id is derived. ${NAME_NOTE}`,
      example: 'On call',
    }),
    target: targetWrite,
    ...shape,
  })
  .meta({ id: 'SubscriptionCreation' });
export type SubscriptionCreation = z.output<typeof subscriptionCreation>;

/** `PATCH /subscriptions/{id}`. */
export const subscriptionEdit = z
  .strictObject({
    target: targetWrite.optional().meta({
      description: 'It is replaced as a whole; secrets that are left out keep their values while its kind stays.',
    }),
    rotate_secret: z
      .boolean()
      .optional()
      .meta({ description: 'Generate a new secret for a `webhook`. Calls are signed with both for a day.' }),
    ...shape,
  })
  .meta({ id: 'SubscriptionEdit' });
export type SubscriptionEdit = z.output<typeof subscriptionEdit>;

export const SUBSCRIPTION_STATES = ['active', 'failing', 'disabled'] as const;

const STATE_CODES = Object.keys(DELIVERY_STATES) as [DeliveryState, ...DeliveryState[]];
const stateTexts = Object.entries(DELIVERY_STATES).map(([code, text]) => `\`${code}\`: ${text}`);

/** A subscription as read. */
export const subscription = z
  .object({
    id: z.string(),
    name: z.string(),
    target: targetView,
    secret: z.string().optional().meta({ description: 'Returned only by the call that generated it.' }),
    events: z.array(z.string()),
    filter: z.object({
      project: z.string().nullable(),
      profile: z.string().nullable(),
      template: z.string().nullable(),
      automation: z.string().nullable(),
      creator: z.string().nullable(),
    }),
    digest: knownOrLater(DIGESTS),
    answers_from: z.array(z.string()),
    enabled: z.boolean(),
    state: knownOrLater(SUBSCRIPTION_STATES).meta({
      description:
        '`failing`: the last delivery failed and is tried again; later events wait behind it. `disabled`: nothing is sent until it is enabled.',
    }),
    state_reason: z.string().nullable().meta({ description: 'Why it is failing, or why the service disabled it.' }),
    failing_since: timestamp.nullable(),
    last_delivery: z
      .object({ at: timestamp, state: knownOrLater(STATE_CODES) })
      .nullable()
      .meta({ description: 'Its last attempt.' }),
    dropped: z
      .number()
      .int()
      .meta({ description: `How many events were not delivered within ${retryHours} hours, and given up.` }),
    created_by: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Subscription' });
export type SubscriptionView = z.output<typeof subscription>;

export const subscriptionList = z.object({ items: z.array(subscription) }).meta({ id: 'SubscriptionList' });

const sentEvent = z.object({
  id: z.string().nullable().meta({ description: 'Null for a test.' }),
  type: z.string(),
  job_id: z.string().nullable(),
  sequence: z.number().int().nullable(),
});

/** What was sent, or is to be. */
export const delivery = z
  .object({
    id: z.string(),
    kind: knownOrLater(['event', 'change', 'digest', 'test']).meta({
      description: '`change`: only an earlier message is changed, such as that of a question that is answered.',
    }),
    events: z.array(sentEvent).meta({ description: 'The event, or those of a digest, oldest first.' }),
    state: knownOrLater(STATE_CODES).meta({ description: stateTexts.join(' ') }),
    attempts: z.number().int(),
    status: z.number().int().nullable().meta({ description: "Status of the receiver's last answer." }),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed. Secrets are masked.' }),
    created_at: timestamp,
    last_attempt_at: timestamp.nullable(),
    next_attempt_at: timestamp.nullable(),
  })
  .meta({ id: 'Delivery' });
export type DeliveryView = z.output<typeof delivery>;

export const deliveryList = z
  .object({
    items: z.array(delivery).meta({
      description: `The newest first: the last ${deliveries}, of those of the last ${deliveryDays} days.`,
    }),
  })
  .meta({ id: 'DeliveryList' });
