import { isKnown, type LaterCode } from '../../contract/later-code.ts';
import { automationOf, type Cause } from './cause.ts';

/*
 * Why a QUEUED job waits although it is due.
 *
 * A job that can't continue waits at a gate: a vendor's limit, a folder, a profile's slots, its automation, a thread, or an
 * open question.
 * Its `parked` is the reason that clients read as `state_reason`; the tables say at which gate of which kind a job with
 * that reason waits, and in which order. The ready index is sparse and has one partition for each gate: a process that
 * opens a gate reads only the jobs that wait there, the next one first. `due_at` of a parked job is when its limit is
 * checked next, or when its question expires.
 *
 * The code that parks, wakes and sweeps is one for all kinds (`admission/gates.ts`).
 */

/** Vendor conditions that a job can wait for although it is QUEUED and due. */
export const PARK_REASONS = ['account_required', 'usage_limit', 'vendor_overloaded'] as const;
export type ParkReason = (typeof PARK_REASONS)[number];

/** The reasons for which a job waits at a gate of each kind. */
const REASONS = {
  vendor: PARK_REASONS,
  folder: ['folder_busy'],
  profile: ['profile_busy'],
  automation: ['automation_busy'],
  question: ['question'],
  thread: ['waiting_for_thread', 'thread_stopped'],
} as const;

export type GateKind = keyof typeof REASONS;

/** All that a QUEUED job can be parked for. */
export const PARKINGS = Object.values(REASONS).flat();

/** Reasons of a QUEUED job that waits only for a worker. */
export const READY_REASONS = ['waiting_for_worker', 'retry_backoff', 'worker_lost'] as const;

/** What a job is parked for, if it is. */
type Parked = (typeof PARKINGS)[number] | LaterCode | undefined;

/** The members of a job that say where it waits. */
interface Waiting {
  readonly id: string;
  readonly profile: string;
  readonly cause: Cause;
  readonly parked?: Parked;
  readonly folder?: string | undefined;
  readonly thread_id?: string | undefined;
}

interface GateRule {
  /** Which of the gates of its kind a job waits at. */
  readonly key: (job: Waiting) => string;
  /** The order in which its jobs continue: the best, the one that is due first, or the lowest turn. */
  readonly order: 'best' | 'due' | 'turn';
  /**
   * In which list of QUEUED jobs they are. `held`: the reconciler reads them, but no worker is launched for them.
   * `asking`: people find them. `awaiting`: one action wakes them, and nothing else reads them.
   */
  readonly listed: 'held' | 'asking' | 'awaiting';
}

export const GATES: Readonly<Record<GateKind, GateRule>> = {
  vendor: { key: ({ parked = '' }) => parked, order: 'due', listed: 'held' },
  folder: { key: ({ folder = '' }) => folder, order: 'best', listed: 'held' },
  profile: { key: ({ profile }) => profile, order: 'best', listed: 'held' },
  automation: { key: ({ cause }) => automationOf(cause) ?? '', order: 'best', listed: 'held' },
  question: { key: () => 'open', order: 'due', listed: 'asking' },
  thread: { key: ({ thread_id, id }) => thread_id ?? id, order: 'turn', listed: 'awaiting' },
};

export interface Gate {
  readonly kind: GateKind;
  readonly key: string;
}

const KINDS = Object.keys(REASONS) as GateKind[];

/** The kind of gate for a reason; undefined: none, or one that only a later version knows. */
export function gateKind(parked: Parked): GateKind | undefined {
  return KINDS.find((kind) => REASONS[kind].some((reason) => reason === parked));
}

export function isGateKind(kind: string): kind is GateKind {
  return Object.hasOwn(REASONS, kind);
}

/** The gate at which a job waits. */
export function gateOf(job: Waiting): Gate | undefined {
  const kind = gateKind(job.parked);
  return kind && { kind, key: GATES[kind].key(job) };
}

/** Whether a job waits for its vendor account. */
export function isForVendor(parked: Parked): parked is ParkReason {
  return gateKind(parked) === 'vendor';
}

/** Whether a job waits for a resource of this deployment. */
export function isBusy(parked: Parked): boolean {
  const kind = gateKind(parked);
  return kind !== undefined && GATES[kind].order === 'best';
}

/** The members of a job that begins to wait at a gate. What waits for a thread without being a turn of it comes first. */
export function waitingAt({ kind, key }: Gate) {
  const [parked] = REASONS[kind];
  return {
    reason: parked,
    parked,
    ...(kind === 'folder' && { folder: key }),
    ...(kind === 'thread' && { thread_id: key, turn: 0 }),
  };
}

/** Whether a job is parked in its thread. */
export function waitsInThread(parked: Parked): parked is (typeof REASONS.thread)[number] {
  return gateKind(parked) === 'thread';
}

/** Whether a waiting job must be unparked before a claim; also true if only a later version knows why it waits. */
export function isParked({ reason }: { readonly reason: string }): boolean {
  return !isKnown(READY_REASONS, reason);
}
