import { attempt, type DeliveringContext } from './deliver.ts';

/** Makes a delivery that was asked for. @param about the subscription's and the delivery's id */
export async function deliverAsked(context: DeliveringContext, about: string): Promise<void> {
  const [, id = '', deliveryId = ''] = /^(.*)\/([^/]*)$/s.exec(about) ?? [];
  const subscription = await context.subscriptions.get(id);
  const delivery = subscription && (await context.deliveries.get(subscription, deliveryId));
  if (subscription !== undefined && delivery !== undefined)
    await attempt(context, subscription, delivery, { once: true });
}
