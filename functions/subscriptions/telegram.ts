import { createAnswering } from '../../lib/api/runtime/subscriptions.ts';
import { handleSigned } from '../../lib/api/signed/serve-signed.ts';
import { receiveTelegram as door } from '../../lib/contract/routes/subscriptions.ts';
import { receiveTelegramRequest } from '../../lib/subscriptions/telegram/receive-request.ts';

/** `POST /subscriptions/{id}/telegram` */
export const handler = handleSigned(door, createAnswering, async ({ id, headers, body }, context) => {
  await receiveTelegramRequest(context, { id, secret: headers['x-telegram-bot-api-secret-token'], body });
  return { status: 200, body: {} };
});
