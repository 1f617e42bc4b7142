import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { type Door, defineRoute } from '../route.ts';
import { composed } from '../schemas/fields/name.ts';
import { acceptedDelivery, deliveryList, hookSecret, secretChange, testDelivery } from '../schemas/hook.ts';

const id = z
  .string()
  .overwrite(composed(LIMITS.keyBytes))
  .min(1)
  .meta({ description: 'The id or name of the automation.' });
const params = z.object({ id });

/** Where senders post to. It is no operation of the API's clients: the sender's signature takes the place of a token. */
export const receiveHook = {
  id: 'hooks.receive',
  method: 'POST',
  path: '/hooks/{id}',
  auth: { kind: 'signature' },
  summary: 'Receive a delivery for an automation, with the signature of its sender',
  mode: 'buffered',
  access: { jobs: 'write', registry: 'write', output: 'write', dispatchQueues: 'send', hookSecrets: 'read' },
} as const satisfies Door;

export const listDeliveries = defineRoute({
  id: 'automations.deliveries',
  method: 'GET',
  path: '/automations/{id}/deliveries',
  auth: { kind: 'principal', scope: 'read' },
  mode: 'stream',
  access: { registry: 'read' },
  summary: 'List the deliveries of a hook',
  description: `Returns the last ${LIMITS.hooks.listed} deliveries, the newest first, with what became of each. Kept for ${LIMITS.hooks.days} days.`,
  params,
  responses: { 200: { description: 'The deliveries.', schema: deliveryList } },
  errors: ['not_found'],
});

const change = { auth: { kind: 'principal', scope: 'write' }, audited: true, mode: 'stream' } as const;
const acting = { jobs: 'write', registry: 'write', output: 'write', dispatchQueues: 'send' } as const;
const accepted = {
  202: { description: 'The delivery was stored. The list says what becomes of it.', schema: acceptedDelivery },
} as const;

export const sendTestDelivery = defineRoute({
  ...change,
  id: 'automations.deliver',
  method: 'POST',
  path: '/automations/{id}/deliveries',
  access: acting,
  summary: 'Send a test delivery to a hook',
  description: 'Takes the way of a delivery whose signature was right.',
  params,
  body: testDelivery,
  responses: accepted,
  errors: ['not_found', 'invalid_request', 'invalid_state'],
});

export const resendDelivery = defineRoute({
  ...change,
  id: 'automations.resend',
  method: 'POST',
  path: '/automations/{id}/deliveries/{delivery}/resend',
  access: acting,
  summary: 'Send a delivery of a hook again',
  description: 'Its stored body is evaluated as a new delivery, by the filter and map that the hook has now.',
  params: z.object({ id, delivery: z.string().min(1).meta({ description: 'The id of the delivery.' }) }),
  responses: accepted,
  errors: ['not_found', 'invalid_request', 'invalid_state'],
});

export const changeHookSecret = defineRoute({
  ...change,
  id: 'automations.secret',
  method: 'POST',
  path: '/automations/{id}/secret',
  access: { registry: 'read', hookSecrets: 'write' },
  summary: 'Replace the secret of a hook',
  description: 'The old secret is invalid at once. The answer shows the new one, which is not shown again.',
  params,
  body: secretChange,
  bodyOptional: true,
  responses: { 200: { description: 'The new secret.', schema: hookSecret } },
  errors: ['not_found', 'invalid_request', 'invalid_state'],
});
