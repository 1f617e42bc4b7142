import { timestamp } from '../aws/table-clock.ts';
import { type Job, PARK_REASONS, type ParkReason, parkedKey } from './job.ts';
import { PROBE_EVERY } from './lifecycle.ts';
import type { Probe, ProbeStore } from './probes.ts';
import type { ReadPartition } from './ready-partition.ts';
import { type TransitionContext, transition } from './transition.ts';

/** What looking after parked jobs needs. */
export interface ParkedContext extends TransitionContext {
  readonly partition: ReadPartition;
  readonly probes: ProbeStore;
}

/** Queues every job that is parked for a reason: it is over. For `account_required`: the account has been linked. */
export async function unparkAll(context: ParkedContext, reason: ParkReason): Promise<void> {
  const probe = await context.probes.read(reason);
  for await (const job of context.partition(parkedKey(reason))) await transition(context, job, { type: 'unpark' });
  if (probe !== undefined) await context.probes.forget(reason, probe);
}

/** Lets one parked job a reason try, when the time has come and no other is trying; the others wait for its answer. */
export async function watchParked(context: ParkedContext): Promise<void> {
  for (const reason of PARK_REASONS) await watchReason(context, reason);
}

async function watchReason(context: ParkedContext, reason: ParkReason): Promise<void> {
  let probe: Probe | undefined;
  let isFirst = true;
  for await (const listed of context.partition(parkedKey(reason))) {
    if (isFirst) {
      isFirst = false;
      probe = await context.probes.read(reason);
      const answer = probe && (await answerOf(context, reason, probe));
      if (answer === 'waiting') return;
      if (answer === 'over') return await unparkAll(context, reason);
    }
    const now = context.clock.now();
    const at = timestamp(now);
    if ((listed.due_at ?? '') > at || (probe?.next_at ?? '') > at) return;
    const job = await context.jobs.get(listed.id, { consistent: true });
    // The index may be stale.
    if (job?.parked !== reason) continue;
    const { probeEvery = PROBE_EVERY } = context;
    const next = { job_id: job.id, attempt: job.attempt + 1, next_at: timestamp(now + probeEvery[reason]) };
    // The record first: a death between the two costs one interval, the other order would let two try.
    if (await context.probes.replace(reason, probe, next))
      await transition(context, job, { type: 'unpark', probe: true });
    return;
  }
}

/** What a try has found out: `waiting` for it, the limit is `over`, or nothing that lets others start. */
async function answerOf(
  context: ParkedContext,
  reason: ParkReason,
  probe: Probe,
): Promise<'waiting' | 'over' | undefined> {
  const job = await context.jobs.get(probe.job_id, { consistent: true });
  if (job === undefined) return undefined;
  if (job.probing === reason) return 'waiting';
  return job.attempt >= probe.attempt && job.parked !== reason ? 'over' : undefined;
}

/** Starts those that waited for what an attempt tried, if it has found out that it is over. */
export async function releaseParked(context: ParkedContext, before: Job, after: Job): Promise<void> {
  if (before.probing !== undefined && hasFoundOver(before, after)) await unparkAll(context, before.probing);
}

/** Whether a job that was trying has found out that what others are parked for is over. */
function hasFoundOver(before: Job, after: Job): boolean {
  return before.probing !== undefined && after.probing === undefined && after.parked !== before.probing;
}
