import * as z from 'zod';
import type { SubscriptionView } from '../../contract/schemas/subscription.ts';
import { TARGET_KINDS, type TargetKind, type TargetView } from '../../contract/schemas/subscription-target.ts';
import { DELIVERY_STATES, type DeliveryState, DIGESTS } from '../../contract/subscription-choices.ts';
import type { NoticeEvent } from '../notice/notice.ts';
import { settlesEarlier, typesThatSettle } from '../notice/settles-earlier.ts';
import { TARGETS } from './targets.ts';

const filterSchema = z.object({
  project: z.string().optional(),
  profile: z.string().optional(),
  template: z.string().optional(),
  automation: z.string().optional(),
  creator: z.string().optional(),
});

/** A stored subscription: what is sent where. */
export const subscriptionSchema = z.object({
  /** Follows from its name: `automationIdOf` of lib/automations is the same rule. */
  id: z.string(),
  name: z.string(),
  /** Tells it from earlier ones of the same name. */
  made: z.string(),
  /** `kind`: that of the target; a later version may know more. */
  target: z.object({ kind: z.string(), settings: z.record(z.string(), z.unknown()) }),
  /** References to its secrets by field, newest first; `until`: when a former one is no longer used. */
  secrets: z.record(z.string(), z.array(z.object({ ref: z.string(), until: z.string().optional() }))),
  events: z.array(z.string()),
  filter: filterSchema,
  digest: z.enum(DIGESTS),
  answers_from: z.array(z.string()),
  enabled: z.boolean(),
  /** Why the service disabled it. */
  disabled_reason: z.string().optional(),
  created_by: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Counts the writes; each is conditional on it. */
  version: z.number(),
  /** Names the last write, so that its writer recognises it after an unknown answer. */
  change_id: z.string(),
});
export type Subscription = z.output<typeof subscriptionSchema>;

/** How its deliveries go. A separate item, so that deliveries and changes don't disturb each other. */
export const healthSchema = z.object({
  /** Id and `made` of the subscription. */
  id: z.string(),
  /** The first failure after the last success. */
  failing_since: z.string().optional(),
  /** Of the last attempt. */
  error: z.string().optional(),
  /** Failures in a row. */
  failures: z.number().default(0),
  last_at: z.string().optional(),
  last_state: z.string().optional(),
  dropped: z.number().default(0),
});
export type Health = z.output<typeof healthSchema>;

/** What a subscription looks at in an event. Those of no job lack members. */
interface FilteredEvent extends NoticeEvent {
  readonly project_id?: string | null | undefined;
  readonly profile?: string | null | undefined;
  readonly template?: string | null | undefined;
  readonly automation?: string | null | undefined;
  readonly created_by?: string | null | undefined;
}

/**
 * What a subscription makes of an event: a message, or a change of an earlier one where the target can change messages.
 */
export function asksFor(subscription: Subscription, event: FilteredEvent): 'event' | 'change' | undefined {
  if (!subscription.enabled || !fitsFilter(subscription, event)) return undefined;
  if (subscription.events.includes(event.type)) return 'event';
  return changesMessages(subscription) && settlesEarlier(subscription.events, event) ? 'change' : undefined;
}

/** The types of the events that it reads. */
export function readTypes(subscription: Subscription): string[] {
  const { events } = subscription;
  return [...new Set([...events, ...(changesMessages(subscription) ? typesThatSettle(events) : [])])];
}

function changesMessages(subscription: Subscription): boolean {
  const kind = kindOf(subscription);
  const changes = kind !== undefined && TARGETS[kind].changesMessages?.(subscription.target.settings) === true;
  // A digest is never changed.
  return changes && subscription.digest === 'none';
}

function fitsFilter({ filter }: Subscription, event: FilteredEvent): boolean {
  const fits = (wanted: string | undefined, ...had: (string | null | undefined)[]) =>
    wanted === undefined || had.includes(wanted);
  return (
    fits(filter.project, event.project_id, event.project) &&
    fits(filter.profile, event.profile) &&
    fits(filter.template, event.template) &&
    fits(filter.automation, event.automation) &&
    fits(filter.creator, event.created_by)
  );
}

/** The kind of a target; undefined: only a later version knows it. */
export function kindOf({ target }: Subscription): TargetKind | undefined {
  return TARGET_KINDS.find((kind) => kind === target.kind);
}

/** A subscription as clients see it, without secrets. */
export function viewSubscription(subscription: Subscription, health: Health | undefined): SubscriptionView {
  const { filter, enabled, target } = subscription;
  const kind = kindOf(subscription);
  const isFailing = enabled && health?.failing_since !== undefined;
  return {
    ...{ id: subscription.id, name: subscription.name },
    target: kind === undefined ? {} : ({ [kind]: TARGETS[kind].view(target.settings) } as TargetView),
    events: subscription.events,
    filter: {
      project: filter.project ?? null,
      profile: filter.profile ?? null,
      template: filter.template ?? null,
      automation: filter.automation ?? null,
      creator: filter.creator ?? null,
    },
    ...{ digest: subscription.digest, answers_from: subscription.answers_from, enabled },
    state: enabled ? (isFailing ? 'failing' : 'active') : 'disabled',
    state_reason: (enabled ? isFailing && health.error : subscription.disabled_reason) || null,
    failing_since: (isFailing && health.failing_since) || null,
    last_delivery:
      health?.last_at === undefined ? null : { at: health.last_at, state: deliveryState(health.last_state) },
    dropped: health?.dropped ?? 0,
    ...{ created_by: subscription.created_by, created_at: subscription.created_at },
    updated_at: subscription.updated_at,
  };
}

function deliveryState(state = 'pending'): DeliveryState {
  return Object.hasOwn(DELIVERY_STATES, state) ? (state as DeliveryState) : 'pending';
}
