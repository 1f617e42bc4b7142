import { randomBytes } from 'node:crypto';
import type { BindingSecretStore } from '../../bindings/binding-secrets.ts';
import type { Reach } from '../../bindings/public-address.ts';
import { ApiError, InvalidFieldError } from '../../contract/errors.ts';
import { quoted } from '../../contract/input/legible.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { SubscriptionCreation, SubscriptionEdit, SubscriptionView } from '../../contract/schemas/subscription.ts';
import type { TargetWrite } from '../../contract/schemas/subscription-target.ts';
import { QUIET_EVENTS } from '../../contract/subscription-choices.ts';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import { untilFirst } from '../../platform/until-first.ts';
import { kindOf, type Subscription, viewSubscription } from './subscription.ts';
import { type SubscriptionStore, subscriptionIdOf } from './subscription-store.ts';
import { faultsOf, partsOf, TARGETS } from './targets.ts';

/*
 * How subscriptions are written. Secrets are stored apart, under new references, which only the function that
 * delivers can read. A new secret is stored before the subscription refers to it, and a former one is deleted after it
 * no longer does, so that a death leaves at most a secret that nothing refers to.
 */

interface SubscriptionWriteContext {
  readonly subscriptions: SubscriptionStore;
  readonly secrets: Pick<BindingSecretStore, 'put' | 'delete'>;
  readonly clock: Clock;
  readonly reach: Reach;
}

type Stored = Omit<Subscription, 'version' | 'change_id'>;

/** @returns its view, with the secret if one was generated. @throws InvalidFieldError with all faults */
export async function createSubscription(
  context: SubscriptionWriteContext,
  creation: SubscriptionCreation,
  by: string,
): Promise<SubscriptionView> {
  check(context, creation.target);
  const id = subscriptionIdOf(creation.name);
  const all = await context.subscriptions.list();
  const taken = InvalidFieldError.of('name', `received ${quoted(creation.name)}; there is a subscription of this name`);
  if (all.some((one) => one.id === id)) throw taken;
  if (all.length >= LIMITS.subscriptions.count)
    throw InvalidFieldError.of([], `there are ${all.length} subscriptions already, the most that are allowed`);
  const at = timestamp(context.clock.now());
  const { target, secrets, shown } = await placed(context, creation.target, undefined);
  const written = await context.subscriptions.replace(undefined, {
    ...{ id, name: creation.name, made: randomBytes(6).toString('hex'), target, secrets },
    events: creation.events ?? [...QUIET_EVENTS],
    filter: creation.filter ?? {},
    digest: creation.digest ?? 'none',
    answers_from: creation.answers_from ?? [],
    enabled: creation.enabled ?? true,
    ...{ created_by: by, created_at: at, updated_at: at },
  });
  if (written === undefined) {
    await forget(context, secrets, {});
    throw taken;
  }
  return { ...viewSubscription(written, undefined), ...shown };
}

/** @throws ApiError `not_found`; InvalidFieldError with all faults */
export async function editSubscription(
  context: SubscriptionWriteContext,
  reference: string,
  edit: SubscriptionEdit,
): Promise<SubscriptionView> {
  return await untilFirst(async () => {
    const known = await findSubscription(context, reference);
    if (edit.target !== undefined) check(context, edit.target, known);
    const { target, secrets, shown } = await placed(context, edit.target, known, edit.rotate_secret);
    const { disabled_reason: why, ...rest } = known;
    const enabled = edit.enabled ?? known.enabled;
    const next: Stored = {
      ...rest,
      ...(why !== undefined && !enabled && { disabled_reason: why }),
      ...{ target, secrets, enabled },
      events: edit.events ?? known.events,
      filter: edit.filter ?? known.filter,
      digest: edit.digest ?? known.digest,
      answers_from: edit.answers_from ?? known.answers_from,
      updated_at: timestamp(context.clock.now()),
    };
    const written = await context.subscriptions.replace(known, next);
    await forget(context, written === undefined ? secrets : known.secrets, (written ?? known).secrets);
    if (written === undefined) return undefined;
    return { result: { ...viewSubscription(written, await context.subscriptions.health(written)), ...shown } };
  });
}

/** @throws ApiError `not_found` */
export async function deleteSubscription(
  context: Pick<SubscriptionWriteContext, 'subscriptions' | 'secrets'>,
  reference: string,
): Promise<SubscriptionView> {
  let refused: SubscriptionView | undefined;
  return await untilFirst(async () => {
    const known = await context.subscriptions.get(subscriptionIdOf(reference));
    if (known === undefined) {
      // A delete whose answer was lost is repeated, and then finds nothing.
      if (refused === undefined) throw ApiError.of('not_found');
      return { result: refused };
    }
    refused = viewSubscription(known, await context.subscriptions.health(known));
    if (!(await context.subscriptions.delete(known))) return undefined;
    await forget(context, known.secrets, {});
    return { result: refused };
  });
}

/** @param reference its id or name. @throws ApiError `not_found` */
export async function findSubscription(
  { subscriptions }: Pick<SubscriptionWriteContext, 'subscriptions'>,
  reference: string,
): Promise<Subscription> {
  const found = await subscriptions.get(subscriptionIdOf(reference));
  if (found === undefined) throw ApiError.of('not_found');
  return found;
}

/** @throws InvalidFieldError */
function check({ reach }: SubscriptionWriteContext, target: TargetWrite, known?: Subscription): void {
  const faults = faultsOf(target, reach, known && { kind: known.target.kind, secrets: known.secrets });
  if (faults.length > 0) throw new InvalidFieldError(faults.map(([field, problem]) => ({ fields: [field], problem })));
}

/** The target as stored, with references to its secrets, the new ones of which it stores. */
async function placed(
  context: SubscriptionWriteContext,
  written: TargetWrite | undefined,
  known: Subscription | undefined,
  rotates = false,
): Promise<Pick<Stored, 'target' | 'secrets'> & { readonly shown: { readonly secret?: string } }> {
  const kind = written === undefined ? known && kindOf(known) : partsOf(written).kind;
  if (kind === undefined) throw ApiError.of('not_found');
  const { generated } = TARGETS[kind];
  if (rotates && generated === undefined)
    throw InvalidFieldError.of('rotate_secret', `received true; a target ${kind} has no secret that is generated`);
  const before = known?.target.kind === kind ? known.secrets : {};
  const given = written === undefined ? {} : partsOf(written).secrets;
  const makes = generated !== undefined && given[generated.field] === undefined;
  const made = makes && (rotates || before[generated.field] === undefined) ? generated.make() : undefined;
  const fresh = { ...given, ...(made !== undefined && generated !== undefined && { [generated.field]: made }) };
  const secrets = { ...before };
  for (const [field, secret] of Object.entries(fresh))
    secrets[field] = withNewest(context, await context.secrets.put(secret), before[field]);
  const settings = written === undefined ? known?.target.settings : partsOf(written).settings;
  return { target: { kind, settings: settings ?? {} }, secrets, shown: made === undefined ? {} : { secret: made } };
}

/** Each former secret remains for a while, so that a receiver can switch over. */
function withNewest(
  { clock }: SubscriptionWriteContext,
  ref: string,
  [newest, ...former]: Subscription['secrets'][string] = [],
) {
  const { formerSecretSeconds, secrets } = LIMITS.deployBindings;
  const at = timestamp(clock.now());
  const until = timestamp(clock.now() + formerSecretSeconds * 1000);
  const valid = former.filter((one) => one.until !== undefined && one.until > at);
  return [{ ref }, ...(newest === undefined ? [] : [{ ref: newest.ref, until }]), ...valid].slice(0, secrets);
}

/** Deletes the secrets that nothing refers to any longer. */
async function forget(
  { secrets }: Pick<SubscriptionWriteContext, 'secrets'>,
  before: Subscription['secrets'],
  after: Subscription['secrets'],
): Promise<void> {
  const refsOf = (all: Subscription['secrets']) => Object.values(all).flatMap((some) => some.map(({ ref }) => ref));
  const kept = new Set(refsOf(after));
  for (const ref of refsOf(before)) if (!kept.has(ref)) await secrets.delete(ref);
}
