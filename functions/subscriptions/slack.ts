import { createAnswering } from '../../lib/api/runtime/subscriptions.ts';
import { handleSigned } from '../../lib/api/signed/serve-signed.ts';
import { receiveSlack as door } from '../../lib/contract/routes/subscriptions.ts';
import { receiveSlackRequest } from '../../lib/subscriptions/slack/receive-slack-request.ts';

/** `POST /subscriptions/{id}/slack` */
export const handler = handleSigned(door, createAnswering, async ({ id, headers, body }, context) => {
  await receiveSlackRequest(context, { id, headers, body });
  return { status: 200, body: {} };
});
