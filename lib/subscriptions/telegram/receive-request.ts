import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { subscriptionIdOf } from '../store/subscription-store.ts';
import { type ReceiveContext, receiveUpdate } from './receive-update.ts';
import { webhookSecretOf } from './telegram-api.ts';
import { type BotsContext, telegramBots, telegramSubscription } from './telegram-bots.ts';

/** A request to the address of a subscription. */
interface TelegramRequest {
  /** The id of the subscription. */
  readonly id: string;
  /** The header `X-Telegram-Bot-Api-Secret-Token`. */
  readonly secret: string | undefined;
  readonly body: Buffer;
}

/**
 * Handles an update that was posted to the address of a subscription. The secret is the only proof of the sender, so
 * nothing of the body is parsed before it is found right.
 * @throws ApiError `not_found`, `unauthorized`, `invalid_request`
 */
export async function receiveTelegramRequest(
  context: ReceiveContext & BotsContext,
  { id, secret, body }: TelegramRequest,
): Promise<void> {
  const subscription = await context.subscriptions.get(subscriptionIdOf(id));
  const bot = subscription && (await telegramSubscription(context, subscription));
  if (subscription === undefined || bot === undefined) throw ApiError.of('not_found');
  const token = bot.tokens.find((one) => isSame(secret ?? '', webhookSecretOf(one, subscription.id)));
  if (token === undefined) throw ApiError.of('unauthorized');
  let update: unknown;
  try {
    update = JSON.parse(body.toString());
  } catch {
    throw ApiError.because('invalid_request', 'body: received a text that is not JSON');
  }
  await receiveUpdate(context, token, (await telegramBots(context)).get(token) ?? [], update);
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
