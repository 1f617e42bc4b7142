import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import { type TransitionContext, transition } from '../dispatch/transition.ts';
import { gateKey } from '../indexes/ready-keys.ts';
import { type Gate, type GateKind, gateOf } from '../lifecycle/gates.ts';
import type { Job } from '../lifecycle/job.ts';
import type { JobEvent } from '../lifecycle/job-event.ts';
import { expireQuestions } from '../questions/expire-questions.ts';
import type { ReadPartition } from '../store/ready-partition.ts';
import { turnsOf } from '../threads/read-thread.ts';
import { admittedBeside, exclusiveFolder, type FolderContext, usersOfFolder } from './folder-slots.ts';
import { freeSlots, type ProfileSlotContext } from './profile-slots.ts';
import { probeParkedJobs, type VendorGateContext } from './vendor-gate.ts';

/*
 * The gates at which jobs wait (`lifecycle/gates.ts`): one piece of code parks a job, wakes the next ones, and sweeps.
 *
 * A gate opens in one of three ways, which its policy names:
 * - It has room. `room` counts how many of the waiting jobs may continue; the best of them are queued. The process that
 *   makes room calls `wakeNext`, and one that can't tell calls `wakeIfFree`. After a job was parked, its gate is checked
 *   once more, because room may have been made before that. The reconciler does so for each gate at which jobs wait.
 * - Nothing in this deployment knows, so one of the waiting jobs tries it (a probe), or time is over (a deadline): the
 *   reconciler calls `sweep`.
 * - One action opens it: the end of a turn wakes the next one of its thread (`threads/settle-thread.ts`), an answer its
 *   job. Such a gate needs no policy.
 *
 * A woken job holds nothing. Its claim checks all gates again, and parks it if another job was faster.
 */

/** Dependencies of the gates with room. */
export interface GateContext extends FolderContext, ProfileSlotContext {
  readonly partition: ReadPartition;
}

interface GatePolicy {
  /** How many of the waiting jobs may continue now. */
  readonly room?: (context: GateContext, key: string) => Promise<number>;
  /** Jobs of which one may continue although there is no room. */
  readonly besides?: (context: GateContext, key: string) => AsyncIterable<Job>;
  /** Looks at all gates of the kind. */
  readonly sweep?: (context: GateContext & VendorGateContext) => Promise<unknown>;
}

const POLICIES: Readonly<Record<GateKind, GatePolicy>> = {
  folder: {
    room: async (context, folder) => ((await usersOfFolder(context, folder)).length === 0 ? 1 : 0),
    besides: admittedBeside,
  },
  profile: { room: freeSlots },
  vendor: { sweep: probeParkedJobs },
  question: { sweep: expireQuestions },
  thread: {},
};

/** Parks a job at a gate, then checks whether room was made before that. */
export async function waitAt(context: GateContext, job: Job, wait: Extract<JobEvent, { type: 'wait' }>): Promise<void> {
  const parked = await transition(context, job, wait, { rounds: 1 });
  const gate = parked.done ? gateOf(parked.job) : undefined;
  if (gate !== undefined) await wakeIfFree(context, gate);
}

/** Queues as many of the jobs that wait at a gate as may continue now, the best first. */
export async function wakeIfFree(context: GateContext, gate: Gate): Promise<void> {
  const { room, besides } = POLICIES[gate.kind];
  const most = (await room?.(context, gate.key)) ?? 0;
  if (most > 0) return await wakeNext(context, gate, most);
  for await (const job of besides?.(context, gate.key) ?? []) if (await wake(context, job)) return;
}

/** Queues the best of the jobs that wait at a gate. */
export async function wakeNext(
  context: TransitionContext & { readonly partition: ReadPartition },
  gate: Gate,
  most = 1,
): Promise<void> {
  let woken = 0;
  for await (const listed of context.partition(gateKey(gate))) {
    if (woken >= most) return;
    const isWoken = await skipDamaged(`job ${listed.id}`, async () => {
      const job = await context.jobs.get(listed.id, { consistent: true });
      // The index may be stale.
      return job !== undefined && isAt(job, gate) && (await wake(context, job));
    });
    if (isWoken === true) woken += 1;
  }
}

async function wake(context: TransitionContext, job: Job): Promise<boolean> {
  if (job.parked === undefined) return false;
  return (await transition(context, job, { type: 'unpark', reason: job.parked }, { rounds: 1 })).done;
}

function isAt(job: Job, { kind, key }: Gate): boolean {
  const at = gateOf(job);
  return at?.kind === kind && at.key === key;
}

/** Admits the next job to a folder that one used without its slot, or until the commands of its bindings were done. */
export async function leaveFolder(context: GateContext, job: Job): Promise<void> {
  const key = await exclusiveFolder(context, job, await turnsOf(context, job));
  if (key !== undefined) await wakeIfFree(context, { kind: 'folder', key });
}

/**
 * What a minute's round does for all gates: probes limits, ends waits whose time is over, and wakes jobs where room was
 * made without a notification: a worker died, a job was killed, the next job was cancelled, or a limit was raised.
 * @param gates where jobs wait
 */
export async function sweepGates(context: GateContext & VendorGateContext, gates: readonly Gate[]): Promise<void> {
  for (const { sweep } of Object.values(POLICIES)) await sweep?.(context);
  for (const gate of gates) await skipDamaged(`${gate.kind} ${gate.key}`, () => wakeIfFree(context, gate));
}
