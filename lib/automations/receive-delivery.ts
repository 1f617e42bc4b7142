import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { type HookTrigger, REFUSALS, type Refusal } from '../contract/schemas/hook.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { untilFirst } from '../platform/until-first.ts';
import type { Automation } from './automation.ts';
import { automationIdOf } from './automation-store.ts';
import { type FireContext, fireDelivery } from './fire-due.ts';
import { filterFault, type MediaType, mediaTypeOf, readBody, textOf, valueAt } from './hooks/delivery-data.ts';
import { type Delivery, newDeliveryId } from './hooks/delivery-store.ts';
import { hasHook, requireHook, type WithHook } from './hooks/hook-trigger.ts';
import { type Delivered, keysOf, verifyDelivery } from './hooks/verify-delivery.ts';
import { findAutomation } from './write-automation.ts';

/*
 * Takes deliveries to hooks. What is accepted is stored, and then evaluated: at once for a short time, so that a job
 * starts within a second, and otherwise by the minute's pass, whatever dies. The sender gets its answer either way.
 */

type Hooked = WithHook<Automation>;

/** How long the sender waits for its job; ms. */
const AT_ONCE_MS = 600;

/** Events by which senders name what a delivery is about. */
const EVENT_HEADERS = ['x-github-event', 'x-gitlab-event', 'x-event-type'];

/** When this process last noted a refusal of a hook. */
const noted = new Map<string, number>();
const NOTED_EVERY_MS = 10_000;

/**
 * Takes what a stranger sent to a hook.
 * @returns the id of the delivery, the same for a repeated one; of Slack's question about the address, what it expects
 * @throws ApiError `unauthorized`, also if there is no such hook; `body_too_large`; `invalid_request`
 */
export async function receiveDelivery(
  context: FireContext,
  id: string,
  delivered: Delivered,
): Promise<{ readonly id: string } | { readonly challenge: string }> {
  const automation = await context.automations.get(automationIdOf(id));
  if (!hasHook(automation)) throw ApiError.of('unauthorized', { reason: 'signature' });
  const { hook } = automation;
  const now = context.clock.now();
  const mediaType = mediaTypeOf(delivered.headers['content-type'], hook.verify);
  const fault = await faultOf(context, automation, delivered, now);
  const read =
    fault ?? (mediaType === undefined ? { fault: 'media_type' as const } : readBody(delivered.body, mediaType));
  if ('fault' in read || mediaType === undefined) {
    const refusal = 'fault' in read ? read.fault : 'media_type';
    await noteRefusal(context, automation, refusal, now);
    throw refused(refusal);
  }
  const { data } = read;
  if (hook.verify.style === 'slack' && valueAt(data, '/type') === 'url_verification')
    return { challenge: textOf(valueAt(data, '/challenge')) ?? '' };
  const senderId = senderIdOf(hook, delivered, data);
  const event = EVENT_HEADERS.map((name) => delivered.headers[name]).find((value) => value !== undefined);
  const delivery = {
    ...newDelivery(now, 'sent', mediaType, new Uint8Array(delivered.body)),
    ...(senderId !== undefined && { sender_id: senderId.slice(0, LIMITS.hooks.valueLength) }),
    ...(event !== undefined && { event: event.slice(0, 100) }),
  };
  return { id: await take(context, automation, delivery, data, keysOf(hook.verify, senderId, delivered.body)) };
}

/** Takes a delivery that a client made. @throws ApiError `not_found`, `invalid_state`, `invalid_request` */
export async function receiveTest(context: FireContext, reference: string, body: string): Promise<string> {
  const automation = requireHook(await findAutomation(context, reference));
  const bytes = new Uint8Array(Buffer.from(body));
  if (bytes.length > LIMITS.hooks.bodyBytes) throw refused('too_large');
  return await takeOwn(context, automation, newDelivery(context.clock.now(), 'test', 'json', bytes));
}

/** Takes a stored delivery again. @throws ApiError `not_found`, `invalid_state` */
export async function receiveAgain(context: FireContext, reference: string, id: string): Promise<string> {
  const automation = requireHook(await findAutomation(context, reference));
  const stored = await context.automations.deliveries.get(automation, id);
  if (stored === undefined) throw ApiError.of('not_found');
  const { sender_id, event } = stored;
  return await takeOwn(context, automation, {
    ...newDelivery(context.clock.now(), 'resent', stored.media_type, stored.body),
    ...(sender_id !== undefined && { sender_id }),
    ...(event !== undefined && { event }),
    resent_of: stored.id,
  });
}

async function takeOwn(context: FireContext, automation: Hooked, delivery: Delivery): Promise<string> {
  const read = readBody(delivery.body, delivery.media_type);
  if ('fault' in read) throw refused(read.fault);
  return await take(context, automation, delivery, read.data, []);
}

/** Stores a delivery and evaluates it. @returns its id, or that of the first one with one of its keys */
async function take(
  context: FireContext,
  automation: Hooked,
  delivery: Delivery,
  data: unknown,
  keys: readonly string[],
): Promise<string> {
  const { automations } = context;
  const reason = filterFault(data, automation.hook.filter);
  const stored: Delivery = reason === undefined ? delivery : { ...delivery, outcome: 'filtered', reason };
  const id = await untilFirst(async () => {
    const first = await automations.deliveries.firstOf(automation, keys);
    if (first !== undefined) return { result: first };
    return (await automations.addDelivery(automation, stored, keys)) ? { result: stored.id } : undefined;
  });
  if (id === stored.id && reason === undefined) await evaluateSoon(context, automation.id, id);
  return id;
}

/** Evaluates a delivery, and waits only so long. What fails or takes longer is done by the minute's pass. */
async function evaluateSoon(context: FireContext, automation: string, id: string): Promise<void> {
  const waiting = new AbortController();
  const late = sleep(AT_ONCE_MS, undefined, { signal: waiting.signal });
  await Promise.race([fireDelivery(context, automation, id), late].map((one) => one.catch(() => undefined)));
  waiting.abort();
}

async function faultOf(
  context: FireContext,
  automation: Hooked,
  delivered: Delivered,
  now: number,
): Promise<{ readonly fault: Refusal } | undefined> {
  if (delivered.body.length > LIMITS.hooks.bodyBytes) return { fault: 'too_large' };
  const { 'content-encoding': encoding = 'identity' } = delivered.headers;
  if (encoding.trim().toLowerCase() !== 'identity') return { fault: 'encoding' };
  const secret = await context.automations.secrets.get(automation);
  const fault = verifyDelivery(automation.hook.verify, secret ?? '', delivered, now);
  return fault && { fault };
}

function refused(reason: Refusal): ApiError {
  if (reason === 'signature' || reason === 'timestamp') return ApiError.of('unauthorized', { reason });
  if (reason === 'too_large') return ApiError.of('body_too_large', { allowed_bytes: LIMITS.hooks.bodyBytes });
  return ApiError.because('invalid_request', REFUSALS[reason], { reason });
}

/** At most once in some seconds, so that strangers can't cause many writes. */
async function noteRefusal(context: FireContext, automation: Automation, reason: Refusal, now: number): Promise<void> {
  const key = `${automation.id} ${reason}`;
  if (now - (noted.get(key) ?? 0) < NOTED_EVERY_MS) return;
  noted.set(key, now);
  await context.automations.deliveries.noteRefusal(automation, reason, now);
}

function newDelivery(
  at: number,
  type: Delivery['type'],
  media_type: MediaType,
  body: Uint8Array<ArrayBuffer>,
): Delivery {
  return { id: newDeliveryId(at), received_at: timestamp(at), type, media_type, body, outcome: 'accepted' };
}

/** Where each style has the sender's id. */
const ID_HEADERS: Readonly<Record<string, readonly string[]>> = {
  standard_webhooks: ['webhook-id'],
  github: ['x-github-delivery'],
  gitlab: ['idempotency-key', 'x-gitlab-event-uuid'],
};

function senderIdOf({ verify, delivery_id: place }: HookTrigger, { headers }: Delivered, data: unknown) {
  const names = place?.header !== undefined ? [place.header] : place === undefined ? ID_HEADERS[verify.style] : [];
  const pointer = place?.pointer ?? (place === undefined && verify.style === 'slack' ? '/event_id' : undefined);
  const inHeader = names?.map((name) => headers[name]).find((value) => value !== undefined && value !== '');
  const found = inHeader ?? (pointer === undefined ? undefined : textOf(valueAt(data, pointer)));
  return found;
}
