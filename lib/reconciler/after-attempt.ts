import {
  type ReconcileDeploymentsContext,
  reconcileCalls,
  reconcileCommands,
} from '../deployments/reconcile-deployments.ts';
import { recordCommands } from '../deployments/record-commands.ts';
import { leaveGates } from '../jobs/admission/gates.ts';
import { type FollowUpContext, makeFollowUps } from '../jobs/creation/follow-ups.ts';
import { transition } from '../jobs/dispatch/transition.ts';
import { EFFECTS_KEY } from '../jobs/indexes/ready-keys.ts';
import { EFFECTS, type Effect, type EffectName } from '../jobs/lifecycle/effect.ts';
import { listed } from '../jobs/lifecycle/effects.ts';
import { slotsOf } from '../jobs/lifecycle/follow-up-record.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { NewerSchemaError } from '../jobs/lifecycle/newer-schema.ts';
import { awaitsTurn } from '../jobs/lifecycle/thread.ts';
import { isUnderstood } from '../jobs/lifecycle/understood.ts';
import { type SettleContext, settleMessages } from '../jobs/messages/settle-messages.ts';
import { continueThread } from '../jobs/threads/settle-thread.ts';
import { skipDamaged } from '../platform/aws/skip-damaged.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { deleteOutput, type HeldOutputContext } from './delete-output.ts';

export type AfterAttemptContext = FollowUpContext & SettleContext & ReconcileDeploymentsContext & HeldOutputContext;

/** What a pass over jobs knows. */
interface Pass {
  /** All queue messages were lost: also sends those that are due later. */
  readonly lost: boolean;
}

type DueEffect = Omit<Effect, 'name'> & { readonly name: EffectName };

/** How an effect is run. Each `run` is safe to repeat and to run concurrently: what it creates has a derived id. */
interface EffectRun {
  /** @returns the updated job, and when a reconciler checks the effect again if the job still lists it */
  readonly run: (
    context: AfterAttemptContext,
    job: Job,
    effect: Effect,
    pass: Pass,
  ) => Promise<{ readonly job: Job; readonly checkAt?: string }>;
  /** It can take a minute. After a loss, and in a round of the reconciler, those of all jobs come last. */
  readonly isSlow?: boolean;
  /** Workers leave it to the reconciler: their role does not allow what it does. */
  readonly isLeft?: boolean;
  /** Gives the effect up after this many tries that ended with their process. Default: it is tried until it is done. */
  readonly giveUp?: {
    readonly after: number;
    readonly run: (context: AfterAttemptContext, job: Job, effect: Effect) => Promise<unknown>;
  };
}

const RUNS: Readonly<Record<EffectName, EffectRun>> = {
  thread: { run: async (context, job) => ({ job: await continueThread(context, job) }) },
  follow_ups: {
    run: (context, job, { attempt = 0 }) => makeFollowUps(context, job, attempt),
    isSlow: true,
    giveUp: { after: 5, run: leaveOutFollowUps },
  },
  messages: { run: async (context, job) => ({ job: await settleMessages(context, job) }) },
  calls: { run: (context, job, _effect, pass) => reconcileCalls(context, job, pass) },
  commands: { run: (context, job) => reconcileCommands(context, job) },
  deployed: { run: async (context, job) => ({ job: await recordCommands(context, job) }) },
  delete_output: { run: (context, job, effect) => deleteOutput(context, job, effect), isSlow: true, isLeft: true },
};

/**
 * Performs the follow-up actions of an attempt's end: releases the jobs that waited for its probe, folder or slot, and
 * runs the effects that are due. The worker that applied the end does so at once; if it can't, reconcile-jobs does.
 * @param before the job while the attempt ran
 * @param options.slow false: leaves slow effects to a later round, in which no other lost jobs wait for them
 * @returns the updated job
 * @throws the first error, after all effects have been tried
 */
export async function afterAttempt(
  context: AfterAttemptContext,
  before: Job,
  after: Job,
  { slow = true }: { readonly slow?: boolean } = {},
): Promise<Job> {
  await leaveGates(context, before, after);
  const pass = { lost: false };
  const errors: unknown[] = [];
  let job = await continueThread(context, after);
  for (const effect of effectsOf(job, slow ? RUN_AT_ONCE : QUICK))
    await RUNS[effect.name].run(context, job, effect, pass).then(
      (result) => {
        job = result.job;
      },
      (error: unknown) => errors.push(error),
    );
  if (errors.length > 0) throw errors[0];
  return job;
}

const RUN_AT_ONCE = EFFECTS.filter((name) => RUNS[name].isLeft !== true);
const SLOW = EFFECTS.filter((name) => RUNS[name].isSlow === true);
const QUICK = EFFECTS.filter((name) => RUNS[name].isSlow !== true);

/** Milliseconds in which a pass begins to try effects. The next one continues. */
const PASS_MS = 60_000;

/**
 * Runs the effects that are due of jobs that have ended, where the process that ended them died or failed, and gives jobs
 * their turns in threads. The effects that have been due for longest come first.
 * @param options.slow runs the slow effects instead of the quick ones
 * @param options.lost all queue messages were lost: checks effects that are due later, too
 */
export async function runDueEffects(
  context: AfterAttemptContext,
  { slow = false, lost = false }: { readonly slow?: boolean; readonly lost?: boolean } = {},
): Promise<void> {
  const start = context.clock.now();
  // The next pass does not know that the messages were lost.
  const until = lost && !slow ? Number.POSITIVE_INFINITY : start + PASS_MS;
  const pass = { lost };
  const range = lost ? undefined : { to: timestamp(start) };
  for await (const found of context.partition(EFFECTS_KEY, range)) {
    if (context.clock.now() >= until) return;
    await skipDamaged(`job ${found.id}`, async () => {
      const job = await context.jobs.find(found.id);
      if (job === undefined || job === 'newer' || !isUnderstood(job)) return;
      if (awaitsTurn(job) && !slow) await continueThread(context, job);
      await tryDue(context, job, effectsOf(job, slow ? SLOW : QUICK), pass);
    });
  }
}

async function tryDue(
  context: AfterAttemptContext,
  found: Job,
  effects: readonly DueEffect[],
  pass: Pass,
): Promise<void> {
  const at = timestamp(context.clock.now());
  let job = found;
  for (const effect of effects)
    if (pass.lost || (effect.due_at ?? effect.since) <= at) job = await tryEffect(context, job, effect, pass);
}

/** Records the try before it begins: it may kill this process. */
async function tryEffect(context: AfterAttemptContext, found: Job, effect: DueEffect, pass: Pass): Promise<Job> {
  const { run, giveUp } = RUNS[effect.name];
  const { tries = 0, failures = 0 } = effect;
  if (giveUp !== undefined && tries - failures >= giveUp.after) {
    await giveUp.run(context, found, effect);
    return found;
  }
  const begun = await transition(context, found, { type: 'effect', effect, step: 'begun' });
  if (!begun.done) return begun.job ?? found;
  try {
    const { job, checkAt } = await run(context, begun.job, effect, pass);
    if (checkAt === undefined || listed(job, effect) === undefined) return job;
    const waiting = await transition(context, job, { type: 'effect', effect, step: { checkAt } });
    return waiting.job ?? job;
  } catch (error) {
    await transition(context, begun.job, { type: 'effect', effect, step: 'failed' });
    // Only the later version that wrote something completes it.
    if (!(error instanceof NewerSchemaError)) throw error;
    return begun.job;
  }
}

/** In the order of `EFFECTS`. A later version runs those that only it knows. */
function effectsOf({ effects = [] }: Job, names: readonly EffectName[]): DueEffect[] {
  return names.flatMap((name) => effects.flatMap((effect) => (effect.name === name ? [{ ...effect, name }] : [])));
}

async function leaveOutFollowUps(context: AfterAttemptContext, job: Job, { attempt = 0, tries }: Effect) {
  const warnings = [`follow-ups: left out: their output could not be searched in ${tries} tries`];
  const positions = slotsOf(job).flatMap((slot) => (slot.attempt === attempt ? [slot.position] : []));
  await transition(context, job, { type: 'follow_up', attempt, positions, warnings });
}
