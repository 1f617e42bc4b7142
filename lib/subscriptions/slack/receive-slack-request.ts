import { randomUUID } from 'node:crypto';
import type { Delivered } from '../../automations/hooks/verify-delivery.ts';
import type { BindingSecretStore } from '../../bindings/binding-secrets.ts';
import { ApiError } from '../../contract/errors.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { slackPlaceOf } from '../store/slack-target.ts';
import type { Subscription } from '../store/subscription.ts';
import { type SubscriptionStore, subscriptionIdOf } from '../store/subscription-store.ts';
import { type PressContext, pressInSlack } from './press-in-slack.ts';

interface RequestContext extends PressContext {
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly secrets: Pick<BindingSecretStore, 'get'>;
}

/**
 * Handles a request to the address that the interactivity URL of an app names.
 * @throws ApiError `not_found`: no enabled subscription is a bot in Slack; `unauthorized`
 */
export async function receiveSlackRequest(
  context: RequestContext,
  { id, ...delivered }: Delivered & { readonly id: string },
): Promise<void> {
  const subscription = await context.subscriptions.get(subscriptionIdOf(id));
  if (subscription?.target.kind !== 'slack' || !subscription.enabled) throw ApiError.of('not_found');
  const { channel } = subscription.target.settings;
  if (channel === undefined) throw ApiError.of('not_found');
  const current = async (field: string) => await secretsOf(context, subscription, field);
  const slack = {
    id: subscription.id,
    place: slackPlaceOf(subscription),
    answersFrom: subscription.answers_from,
    channel: String(channel),
    botTokens: await current('bot_token'),
    signingSecrets: await current('signing_secret'),
  };
  await pressInSlack(context, slack, { ...delivered, requestId: randomUUID() });
}

async function secretsOf({ secrets, clock }: RequestContext, subscription: Subscription, field: string) {
  const now = timestamp(clock.now());
  const refs = (subscription.secrets[field] ?? []).filter(({ until }) => until === undefined || until > now);
  const found = await Promise.all(refs.map(async ({ ref }) => await secrets.get(ref)));
  return found.filter((secret) => secret !== undefined);
}
