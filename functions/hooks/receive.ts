import { createAutomationRunning } from '../../lib/api/runtime/automations.ts';
import { handleSigned } from '../../lib/api/signed/serve-signed.ts';
import { receiveDelivery } from '../../lib/automations/receive-delivery.ts';
import { receiveHook } from '../../lib/contract/routes/hooks.ts';

/** `POST /hooks/{id}` */
export const handler = handleSigned(receiveHook, createAutomationRunning, async ({ id, ...delivered }, context) => {
  const taken = await receiveDelivery(context, id, delivered);
  return 'challenge' in taken ? { status: 200, body: taken } : { status: 202, body: taken };
});
