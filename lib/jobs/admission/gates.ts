import type { Profile } from '../../catalog/profiles.ts';
import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import type { ProjectSettings } from '../../projects/project-settings.ts';
import { type TransitionContext, transition } from '../dispatch/transition.ts';
import { gateKey } from '../indexes/ready-keys.ts';
import { automationOf } from '../lifecycle/cause.ts';
import { type Gate, type GateKind, gateOf } from '../lifecycle/gates.ts';
import type { Job } from '../lifecycle/job.ts';
import type { JobEvent } from '../lifecycle/job-event.ts';
import { expireQuestions } from '../questions/questions.ts';
import type { ReadPartition } from '../store/ready-partition.ts';
import { type TurnWithJob, turnsOf } from '../threads/read-thread.ts';
import { acquireFolder, admittedBeside, exclusiveFolder, type FolderContext, usersOfFolder } from './folder-slots.ts';
import { acquireProfileSlot, freeSlots, type ProfileSlotContext } from './profile-slots.ts';
import { acquireSlot, automationSlot, isFree } from './slots.ts';
import { probeParkedJobs, releaseParked, type VendorGateContext } from './vendor-gate.ts';

/*
 * The gates at which jobs wait (`lifecycle/gates.ts`): one piece of code parks a job, wakes the next ones, and sweeps.
 *
 * A gate opens in one of three ways, which its policy names:
 * - It has room. A claim asks each such gate of its job for a place, in the order of the table, and the job is parked at
 *   the first that has none. `room` counts how many of the waiting jobs may continue; the best of them are queued. The
 *   process that makes room calls `wakeNext`, and one that can't tell calls `wakeIfFree`. After a job was parked, its
 *   gate is checked once more, because room may have been made before that. The reconciler does so for each gate.
 * - Nothing in this deployment knows, so one of the waiting jobs tries it (a probe), or time is over (a deadline): the
 *   reconciler calls `sweep`.
 * - One action opens it: the end of a turn wakes the next one of its thread (`threads/settle-thread.ts`), an answer its
 *   job. Such a gate needs no policy.
 *
 * A woken job holds nothing: its claim asks all gates again. A job that is turned away at one gate may have been woken at
 * another, where others wait too. It wakes them before it leaves, since nothing else would.
 */

/** Dependencies of all gates. */
export interface GateContext extends FolderContext, ProfileSlotContext, VendorGateContext {}

/** A claim of exactly this version of a job, with the turns of its thread and what was read for it. */
interface Passage {
  readonly job: Job;
  readonly turns: readonly TurnWithJob[];
  readonly profile?: Profile | undefined;
  /** Default: they are read. */
  readonly settings?: () => ProjectSettings;
}

/** What a claim holds of its gates. */
type Held = Pick<Extract<JobEvent, { type: 'claim' }>, 'folder' | 'place'>;

interface GatePolicy {
  readonly pass?: {
    /** The gate of this kind that a job has to pass; undefined: none. */
    readonly key: (context: GateContext, passage: Passage) => Promise<string | undefined>;
    /** Takes a place for exactly this version of the job. */
    readonly take: (context: GateContext, passage: Passage, key: string) => Promise<Held | 'busy'>;
    /** How many of the waiting jobs may continue now. */
    readonly room: (context: GateContext, key: string) => Promise<number>;
    /** Jobs of which one may continue although there is no room. */
    readonly besides?: (context: GateContext, key: string) => AsyncIterable<Job>;
  };
  /** Called after an attempt: it may have made room, or found the gate open. @param before the job while it ran */
  readonly left?: (context: GateContext, before: Job, after: Job) => Promise<unknown>;
  /** Checks all gates of the kind. */
  readonly sweep?: (context: GateContext) => Promise<unknown>;
}

const POLICIES: Readonly<Record<GateKind, GatePolicy>> = {
  vendor: { left: releaseParked, sweep: probeParkedJobs },
  thread: {},
  profile: {
    pass: {
      key: async (_context, { job }) => job.profile,
      take: (context, { job, profile }) => acquireProfileSlot(context, job, profile),
      room: freeSlots,
    },
    left: async (context, { place, profile }) =>
      place === undefined ? undefined : await wakeNext(context, { kind: 'profile', key: profile }),
  },
  automation: {
    pass: {
      key: async (_context, { job }) => automationOf(job.cause),
      take: async (context, { job }, automation) =>
        (await acquireSlot(context, job, automationSlot(automation))) ? {} : 'busy',
      room: async (context, automation) => ((await isFree(context, automationSlot(automation))) ? 1 : 0),
    },
    left: async (context, { cause }) => {
      const key = automationOf(cause);
      if (key !== undefined) await wakeNext(context, { kind: 'automation', key });
    },
  },
  folder: {
    pass: {
      key: (context, { job, turns, settings }) => exclusiveFolder(context, job, turns, settings),
      take: async (context, { job }, folder) => ((await acquireFolder(context, job, folder)) ? { folder } : 'busy'),
      room: async (context, folder) => ((await usersOfFolder(context, folder)).length === 0 ? 1 : 0),
      besides: admittedBeside,
    },
    left: async (context, { folder }, after) => {
      if (folder !== undefined) await wakeNext(context, { kind: 'folder', key: folder });
      // Its agent has begun to share the folder since the claim, which took no slot.
      else if (after.shares_folder === true) await leaveFolder(context, after);
    },
  },
  question: { sweep: expireQuestions },
};

/** The gates with room that a claim has to pass, in order. */
export async function gatesOfClaim(context: GateContext, passage: Passage): Promise<readonly Gate[]> {
  const gates: Gate[] = [];
  for (const kind of Object.keys(POLICIES) as GateKind[]) {
    const key = await POLICIES[kind].pass?.key(context, passage);
    if (key !== undefined) gates.push({ kind, key });
  }
  return gates;
}

/** Takes a place at each gate. @returns undefined: one has none, and the job is parked there */
export async function takePlaces(
  context: GateContext,
  passage: Passage,
  gates: readonly Gate[],
): Promise<Held | undefined> {
  let held: Held = {};
  for (const gate of gates) {
    const taken = await POLICIES[gate.kind].pass?.take(context, passage, gate.key);
    if (taken === 'busy') {
      await waitAt(context, passage.job, gate);
      await wakeAll(
        context,
        gates.filter((other) => other !== gate),
      );
      return undefined;
    }
    held = { ...held, ...taken };
  }
  return held;
}

/** Parks a job at a gate, then checks whether room was made before that. */
export async function waitAt(context: GateContext, job: Job, gate: Gate): Promise<void> {
  const parked = await transition(context, job, { type: 'wait', gate }, { rounds: 1 });
  if (parked.done) await wakeIfFree(context, gate);
}

/** Wakes the jobs at these gates that may continue. */
export async function wakeAll(context: GateContext, gates: readonly Gate[]): Promise<void> {
  for (const gate of gates) await wakeIfFree(context, gate);
}

/** Queues as many of the jobs that wait at a gate as may continue now, the best first. */
export async function wakeIfFree(context: GateContext, gate: Gate): Promise<void> {
  const { pass } = POLICIES[gate.kind];
  const most = (await pass?.room(context, gate.key)) ?? 0;
  if (most > 0) return await wakeNext(context, gate, most);
  for await (const job of pass?.besides?.(context, gate.key) ?? []) if (await wake(context, job)) return;
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

/** Wakes the jobs that waited for an attempt. @param before the job while it ran */
export async function leaveGates(context: GateContext, before: Job, after: Job): Promise<void> {
  for (const { left } of Object.values(POLICIES)) await left?.(context, before, after);
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
export async function sweepGates(context: GateContext, gates: readonly Gate[]): Promise<void> {
  for (const { sweep } of Object.values(POLICIES)) await sweep?.(context);
  for (const gate of gates) await skipDamaged(`${gate.kind} ${gate.key}`, () => wakeIfFree(context, gate));
}
