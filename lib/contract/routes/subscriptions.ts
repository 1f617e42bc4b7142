import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { type Door, defineRoute } from '../route.ts';
import { composed } from '../schemas/fields/name.ts';
import {
  delivery,
  deliveryList,
  subscription,
  subscriptionCreation,
  subscriptionEdit,
  subscriptionList,
} from '../schemas/subscription.ts';

const { retryHours, count } = LIMITS.subscriptions;

const params = z.object({
  id: z
    .string()
    .overwrite(composed(LIMITS.keyBytes))
    .min(1)
    .meta({ description: 'The id or name of the subscription.' }),
});

const auth = { kind: 'principal', scope: 'admin' } as const;
const reading = { method: 'GET', auth, mode: 'stream', access: { registry: 'read' } } as const;
const change = { auth, audited: true, mode: 'stream' } as const;

export const listSubscriptions = defineRoute({
  ...reading,
  id: 'subscriptions.list',
  path: '/subscriptions',
  summary: 'List subscriptions',
  description: 'Returns all subscriptions with their health. Secrets are never returned.',
  responses: { 200: { description: 'The subscriptions, ordered by id.', schema: subscriptionList } },
  errors: [],
});

export const readSubscription = defineRoute({
  ...reading,
  id: 'subscriptions.read',
  path: '/subscriptions/{id}',
  summary: 'Retrieve a subscription',
  description: 'Returns the subscription with its health.',
  params,
  responses: { 200: { description: 'The subscription.', schema: subscription } },
  errors: ['not_found'],
});

export const createSubscription = defineRoute({
  ...change,
  id: 'subscriptions.create',
  method: 'POST',
  path: '/subscriptions',
  summary: 'Create a subscription',
  description: `Sends events that happen from now on, each at least once and those of a job in order. What is not accepted is tried again for ${retryHours} hours. At most ${count} are allowed.`,
  body: subscriptionCreation,
  responses: {
    201: {
      description: 'The subscription was created.',
      schema: subscription,
      headers: { Location: 'The path of the subscription: `/api/v1/subscriptions/{id}`.' },
    },
  },
  errors: ['invalid_request'],
  access: { registry: 'write', bindingSecrets: 'write' },
});

export const editSubscription = defineRoute({
  ...change,
  id: 'subscriptions.edit',
  method: 'PATCH',
  path: '/subscriptions/{id}',
  summary: 'Update a subscription',
  description:
    'Fields that are absent or null keep their values. What waits to be tried again is tried within a minute. `enabled: true` begins with the next event.',
  params,
  body: subscriptionEdit,
  responses: { 200: { description: 'The updated subscription.', schema: subscription } },
  errors: ['not_found', 'invalid_request'],
  access: { registry: 'write', bindingSecrets: 'write' },
});

export const deleteSubscription = defineRoute({
  ...change,
  id: 'subscriptions.delete',
  method: 'DELETE',
  path: '/subscriptions/{id}',
  summary: 'Delete a subscription',
  description: 'Nothing more is sent, also of what waits to be tried again.',
  params,
  responses: { 200: { description: 'The deleted subscription.', schema: subscription } },
  errors: ['not_found'],
  access: { registry: 'write', bindingSecrets: 'write' },
});

export const testSubscription = defineRoute({
  ...change,
  id: 'subscriptions.test',
  method: 'POST',
  path: '/subscriptions/{id}/test',
  summary: 'Send a test delivery',
  description:
    'Sends a message that says it is a test, once, also while the subscription is disabled. The deliveries show its result.',
  params,
  responses: { 202: { description: 'It is being sent.', schema: delivery } },
  errors: ['not_found'],
  access: { registry: 'write', feedReaders: 'call' },
});

export const listSentDeliveries = defineRoute({
  ...reading,
  id: 'subscriptions.deliveries',
  path: '/subscriptions/{id}/deliveries',
  summary: 'List the deliveries of a subscription',
  description: 'Returns what was sent or is to be tried again, the newest first.',
  params,
  responses: { 200: { description: 'The deliveries.', schema: deliveryList } },
  errors: ['not_found'],
});

export const resendSentDelivery = defineRoute({
  ...change,
  id: 'subscriptions.resend',
  method: 'POST',
  path: '/subscriptions/{id}/deliveries/{delivery}/resend',
  summary: 'Send a delivery again',
  description: 'Sends it once more, under the same id. The deliveries show the result.',
  params: params.extend({ delivery: z.string().min(1).max(60).meta({ description: 'The id of the delivery.' }) }),
  responses: { 202: { description: 'It is being sent.', schema: delivery } },
  errors: ['not_found'],
  access: { registry: 'write', feedReaders: 'call' },
});

/** Where Telegram posts updates to. It is no operation of the API's clients: Telegram's secret takes the place of a token. */
export const receiveTelegram = {
  id: 'subscriptions.telegram',
  method: 'POST',
  path: '/subscriptions/{id}/telegram',
  auth: { kind: 'signature' },
  audited: true,
  summary: 'Receive what people do in a chat of Telegram, with the secret that its webhook was set with',
  mode: 'buffered',
  access: { jobs: 'write', registry: 'write', dispatchQueues: 'send', bindingSecrets: 'read' },
} as const satisfies Door;

/** Where Slack posts presses of buttons. Its signature takes the place of a token. */
export const receiveSlack = {
  id: 'subscriptions.slack',
  method: 'POST',
  path: '/subscriptions/{id}/slack',
  auth: { kind: 'signature' },
  audited: true,
  summary: 'Receive a press of a button in Slack, with the signature of the app',
  mode: 'buffered',
  access: { jobs: 'write', registry: 'write', dispatchQueues: 'send', bindingSecrets: 'read' },
} as const satisfies Door;
