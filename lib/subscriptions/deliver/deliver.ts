import { createHash } from 'node:crypto';
import type { BindingSecretStore } from '../../bindings/binding-secrets.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { TargetKind } from '../../contract/schemas/subscription-target.ts';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import type { Outgoing, Send, SendContext, Sent } from '../senders/sending.ts';
import type { Delivery, DeliveryStore } from '../store/delivery-store.ts';
import { kindOf, type Subscription } from '../store/subscription.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';

/*
 * One attempt at one delivery: the message is sent, and then what became of it is written into the delivery and the health
 * of the subscription, by one transaction. A death in between repeats the message, under the same id. A delivery that is
 * found concluded is not sent again.
 */

export interface DeliveringContext {
  readonly subscriptions: SubscriptionStore;
  readonly deliveries: DeliveryStore;
  readonly secrets: Pick<BindingSecretStore, 'get'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Resolves after so many ms. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly senders: Readonly<Record<TargetKind, Send>>;
  readonly send: Omit<SendContext, 'now'>;
}

/** What is to be delivered: the parts of a delivery that say so. */
export type Due = Pick<Delivery, 'id' | 'kind' | 'events'>;

const HOUR_MS = 3_600_000;

/** Seconds from a failed attempt to the next one, by the failures in a row, varied by up to a fifth. The last repeats. */
const PAUSES = [60, 60, 120, 300, 600, 1_800, 3_600];
const JITTER = 0.2;

/** The first failure is often a blip: it is tried again after so many ms. */
const SECOND_TRY_MS = 2_000;

/** What follows from an attempt: it is done with, or tried again at a time (ms since 1970). */
export type Attempted = 'delivered' | 'failed' | 'dropped' | { readonly again: number };

/**
 * Attempts a delivery of the feed, unless it was delivered before.
 * @param options.once it is not tried again, as one that is asked for
 */
export async function attempt(
  context: DeliveringContext,
  subscription: Subscription,
  due: Due,
  { once = false }: { readonly once?: boolean } = {},
): Promise<Attempted> {
  const known = await context.deliveries.get(subscription, due.id);
  if (!once && known !== undefined && known.state !== 'pending') return known.state;
  const before = known ?? newDelivery(context, due);
  let attempts = before.attempts + 1;
  let sent: Sent = await sendOnce(context, subscription, due);
  if (sent.outcome === 'retry' && sent.after === undefined && before.attempts === 0 && !once) {
    await context.pause(SECOND_TRY_MS);
    attempts += 1;
    sent = await sendOnce(context, subscription, due);
  }
  const now = context.clock.now();
  const tried = { ...before, attempts, last_attempt_at: timestamp(now), status: sent.status };
  const { next_attempt_at: _next, error: _error, ...done } = tried;
  if (sent.outcome === 'sent') {
    if (once) await context.deliveries.put(subscription, { ...done, state: 'delivered' });
    else await finish(context, subscription, { ...done, state: 'delivered' });
    return 'delivered';
  }
  const failed = { ...done, error: sent.why };
  if (sent.outcome === 'gone') await disable(context, subscription, sent.why);
  if (once) {
    // What the feed makes of it stays as it is.
    await context.deliveries.put(subscription, {
      ...tried,
      error: sent.why,
      state: due.kind === 'test' ? 'failed' : before.state,
    });
    return 'failed';
  }
  if (sent.outcome === 'gone') {
    await finish(context, subscription, { ...failed, state: 'failed' });
    return 'failed';
  }
  if (sent.outcome === 'refused' || isTooOld(due, now)) {
    await finish(context, subscription, { ...failed, state: 'dropped' });
    return sent.outcome === 'refused' ? 'failed' : 'dropped';
  }
  const asked = 'after' in sent ? sent.after : undefined;
  const again = now + pauseOf(context, (await context.subscriptions.health(subscription))?.failures ?? 0, asked);
  await finish(context, subscription, { ...failed, state: 'pending', next_attempt_at: timestamp(again) });
  return { again };
}

/** Gives up a delivery without an attempt, because the receiver has just failed and the time for this one is over. */
export async function dropUntried(context: DeliveringContext, subscription: Subscription, due: Due): Promise<void> {
  const known = await context.deliveries.get(subscription, due.id);
  if (known?.state === 'delivered' || known?.state === 'dropped') return;
  const error = `The receiver accepted nothing for ${LIMITS.subscriptions.retryHours} hours.`;
  const { next_attempt_at: _next, ...dropped } = {
    ...(known ?? newDelivery(context, due)),
    state: 'dropped',
    error,
  } as const;
  await finish(context, subscription, dropped);
}

/** Whether the time in which a delivery is tried is over. */
export function isTooOld({ events }: Due, now: number): boolean {
  return Date.parse(events.at(-1)?.time ?? '') < now - LIMITS.subscriptions.retryHours * HOUR_MS;
}

export function newDelivery({ clock }: Pick<DeliveringContext, 'clock'>, due: Due): Delivery {
  return { ...due, state: 'pending', attempts: 0, created_at: timestamp(clock.now()) };
}

async function finish(context: DeliveringContext, subscription: Subscription, delivery: Delivery): Promise<void> {
  const { state, error, events } = delivery;
  await context.subscriptions.noteAttempt(subscription, delivery, {
    at: timestamp(context.clock.now()),
    ...(state !== 'delivered' && { error }),
    ...(state === 'dropped' && { dropped: events.length }),
  });
}

async function sendOnce(context: DeliveringContext, subscription: Subscription, due: Due): Promise<Sent> {
  const kind = kindOf(subscription);
  if (kind === undefined) return { outcome: 'retry', why: 'A later version of the service made it.' };
  const secrets = await secretsOf(context, subscription);
  const outgoing: Outgoing = { id: messageId(subscription, due), kind: due.kind, events: due.events };
  const recipient = { subscription, settings: subscription.target.settings, secrets };
  const now = () => context.clock.now();
  const sent = await context.senders[kind]({ ...context.send, now }, outgoing, recipient).catch(
    (error: unknown): Sent => ({ outcome: 'retry', why: error instanceof Error ? error.message : String(error) }),
  );
  return sent.outcome === 'sent' ? sent : { ...sent, why: masked(sent.why, Object.values(secrets).flat()) };
}

async function secretsOf(context: DeliveringContext, { secrets }: Subscription): Promise<Record<string, string[]>> {
  const now = timestamp(context.clock.now());
  const read = async ([field, all]: [string, Subscription['secrets'][string]]) => {
    const current = all.filter(({ until }) => until === undefined || until > now);
    const found = await Promise.all(current.map(async ({ ref }) => await context.secrets.get(ref)));
    return [field, found.filter((secret) => secret !== undefined)] as const;
  };
  return Object.fromEntries(await Promise.all(Object.entries(secrets).map(read)));
}

/** Identifies the message to its receiver, the same in every try. */
function messageId({ id, made }: Subscription, due: Due): string {
  return `msg_${createHash('sha256').update(`${id}\n${made}\n${due.id}`).digest('hex').slice(0, 32)}`;
}

/** A reason without secrets, in the length of a sentence. */
function masked(why: string, secrets: readonly string[]): string {
  const hidden = secrets.reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, '***')), why);
  return hidden.slice(0, 300);
}

/** Milliseconds until the next attempt. */
function pauseOf({ random }: DeliveringContext, failures: number, after = 0): number {
  const pause = PAUSES[Math.min(failures, PAUSES.length - 1)] ?? 0;
  const asked = Math.min(after, LIMITS.subscriptions.retryAfterSeconds);
  return Math.max(asked, pause * (1 - JITTER + 2 * JITTER * random())) * 1000;
}

/** A receiver that is gone wants nothing more. A concurrent write of the subscription wins. */
async function disable(context: DeliveringContext, subscription: Subscription, disabled_reason: string): Promise<void> {
  const updated_at = timestamp(context.clock.now());
  await context.subscriptions.replace(subscription, { ...subscription, enabled: false, disabled_reason, updated_at });
}
