import { timestamp } from '../../platform/aws/table-clock.ts';
import type { Receipt } from '../receipts/receipt.ts';
import { type DeployEffect, EFFECTS, type Effect, type EffectName } from './effect.ts';
import type { Job } from './job.ts';
import { SYSTEM_JOBS, systemName } from './system-job.ts';

/** A success, as far as effects depend on it. */
export interface Success {
  readonly receipt: Pick<Receipt, 'attempt' | 'follow_ups' | 'chain'>;
  /** What the deploy bindings of its project do. */
  readonly deploys: readonly DeployEffect[];
}

/** What an effect follows: the end of a job, or some of its attempts. */
type Followed = 'end' | readonly number[] | undefined;

const DUE: Readonly<Record<EffectName, (job: Job, success: Success | undefined) => Followed>> = {
  /** Other turns of its thread may start; of a fork, those of the thread that it was to copy. */
  thread: ({ thread_id, forked_from }) => (thread_id === undefined && forked_from === undefined ? undefined : 'end'),
  /** The attempt may have requested jobs, or the ones that it continues: only their receipts show whether they did. */
  follow_ups: (_job, success) => success && [...(success.receipt.chain ?? []), ...requestsOf(success.receipt)],
  /** The agent may not have read all messages. */
  messages: ({ messages }) => (messages === undefined ? undefined : 'end'),
  calls: (_job, success) => deployedBy('calls', success),
  commands: (_job, success) => deployedBy('commands', success),
  /** The result of a deploy command is written to its deployment. */
  deployed: () => undefined,
  /** A request makes it due. */
  delete_output: () => undefined,
};

/** Milliseconds from the begin of a try to the next one: `base · 2^(tries - 1)`, at most `max`. */
const BACKOFF = { base: 60_000, max: 900_000 } as const;

/** The job that has just ended, with what is due now. */
export function withEffects(job: Job, since: string, success?: Success): Job {
  const system = systemName(job);
  if (system !== undefined) return withEffect(job, { name: SYSTEM_JOBS[system].effect, since });
  let next = job;
  for (const name of EFFECTS) {
    const followed = DUE[name](job, success);
    if (followed === 'end') next = withEffect(next, { name, since });
    else for (const attempt of followed ?? []) next = withEffect(next, { name, attempt, since });
  }
  return next;
}

/** The job with an effect, in place of an earlier one of the same name and attempt. */
export function withEffect(job: Job, effect: Effect): Job {
  return { ...job, effects: [...others(job, effect), effect] };
}

/** The job without the effect of this name and attempt. */
export function withoutEffect({ effects = [], ...job }: Job, effect: Pick<Effect, 'name' | 'attempt'>): Job {
  const left = others({ effects }, effect);
  return left.length === 0 ? job : { ...job, effects: left };
}

/** The job that is queued again by request: only effects of attempts are still due. */
export function withoutEndEffects({ effects = [], ...job }: Job): Job {
  const left = effects.filter(({ attempt }) => attempt !== undefined);
  return left.length === 0 ? job : { ...job, effects: left };
}

/** What a reconciler does with an effect: it begins a try, which fails, or finds out when to check the effect again. */
export type EffectStep = 'begun' | 'failed' | { readonly checkAt: string };

/** The job after a step of an effect that is listed on it. */
export function afterStep(job: Job, effect: Effect, step: EffectStep, now: number): Job {
  const { name, attempt, since, tries = 0, failures = 0, due_at } = effect;
  const same = { name, since, ...(attempt !== undefined && { attempt }) };
  if (typeof step === 'object') return withEffect(job, { ...same, due_at: step.checkAt });
  if (step === 'failed') return withEffect(job, { ...same, tries, failures: failures + 1, ...(due_at && { due_at }) });
  const pause = Math.min(BACKOFF.max, BACKOFF.base * 2 ** tries);
  return withEffect(job, {
    ...same,
    tries: tries + 1,
    ...(failures > 0 && { failures }),
    due_at: timestamp(now + pause),
  });
}

/** The effect as the job lists it; undefined: it is done, cancelled, or due for a later end. */
export function listed({ effects = [] }: Pick<Job, 'effects'>, effect: Effect): Effect | undefined {
  return effects.find((one) => isSame(one, effect) && one.since === effect.since);
}

/** The effect of this name on a job. */
export function effectOf({ effects = [] }: Pick<Job, 'effects'>, name: EffectName): Effect | undefined {
  return effects.find((one) => one.name === name);
}

/** The names of the effects that are due, but for `others`. */
export function leftToDo({ effects = [] }: Pick<Job, 'effects'>, others: readonly EffectName[]): string[] {
  return effects.flatMap(({ name }) => (others.some((other) => other === name) ? [] : [name]));
}

/** The attempts for which an effect is due. */
export function attemptsDue({ effects = [] }: Pick<Job, 'effects'>, name: EffectName): number[] {
  return effects.flatMap((one) => (one.name === name ? (one.attempt ?? []) : []));
}

/** When a reconciler has to look at a job that has ended; undefined: nothing is due. */
export function nextCheck({ effects = [] }: Job): string | undefined {
  return effects.map(({ due_at, since }) => due_at ?? since).sort()[0];
}

function others({ effects = [] }: Pick<Job, 'effects'>, effect: Pick<Effect, 'name' | 'attempt'>): Effect[] {
  return effects.filter((one) => !isSame(one, effect));
}

function isSame(a: Pick<Effect, 'name' | 'attempt'>, b: Pick<Effect, 'name' | 'attempt'>): boolean {
  return a.name === b.name && a.attempt === b.attempt;
}

function deployedBy(name: DeployEffect, success: Success | undefined): Followed {
  return success?.deploys.includes(name) === true ? [success.receipt.attempt] : undefined;
}

function requestsOf({ attempt, follow_ups }: Success['receipt']): number[] {
  return follow_ups === undefined ? [] : [attempt];
}
