import { secretFault } from '../contract/input/secret-like.ts';
import { LIMITS } from '../contract/limits.ts';
import { MASK } from '../contract/mask.ts';
import { type DeliveryView, REFUSALS, type Refusal } from '../contract/schemas/hook.ts';
import type { AutomationStore } from './automation-store.ts';
import { readBody } from './hooks/delivery-data.ts';
import type { Delivery } from './hooks/delivery-store.ts';
import { findAutomation } from './write-automation.ts';

/** The last deliveries to an automation, and why requests were refused. @throws ApiError `not_found` */
export async function listDeliveries(context: { readonly automations: AutomationStore }, reference: string) {
  const automation = await findAutomation(context, reference);
  const { deliveries } = context.automations;
  const [newest, refusals] = await Promise.all([deliveries.newest(automation), deliveries.refusals(automation)]);
  const message = (code: string) => (Object.hasOwn(REFUSALS, code) ? REFUSALS[code as Refusal] : code);
  const refused = refusals.map(({ code, at }) => ({ code, message: message(code), at }));
  return { items: newest.map(view), refused: refused.toSorted((a, b) => (a.at < b.at ? 1 : -1)) };
}

function view(delivery: Delivery): DeliveryView {
  return {
    ...{ id: delivery.id, received_at: delivery.received_at, kind: delivery.type },
    resent_of: delivery.resent_of ?? null,
    sender_id: delivery.sender_id ?? null,
    event: delivery.event ?? null,
    bytes: delivery.body.byteLength,
    body: masked(delivery).slice(0, LIMITS.hooks.excerptLength),
    outcome: delivery.outcome,
    reason: delivery.reason ?? null,
    job_id: delivery.job_id ?? null,
  };
}

function masked({ body, media_type }: Delivery): string {
  const read = readBody(body, media_type);
  if ('fault' in read) return '';
  return JSON.stringify(read.data, (key, value: unknown) =>
    typeof value === 'string' && secretFault(snakeCase(key), value) !== undefined ? MASK : value,
  );
}

function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}
