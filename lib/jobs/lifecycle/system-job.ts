import type { Cause } from './cause.ts';
import type { EffectName } from './effect.ts';

/*
 * System jobs: work of the service that needs a process or minutes, such as the commands of a deploy binding.
 *
 * A system job is a job like any other: it is claimed, has a lease, a heartbeat and a receipt, and ends once. Three things
 * differ. It runs at most once: if its worker is lost, it has failed. Clients neither see nor count it, since it is in
 * separate partitions. And only the effect that its table names follows from its end: that one writes its result to
 * where clients read it.
 *
 * A name has one entry in each of these tables: `SYSTEM_JOBS` here, `CLAIMS` (`admission/claim-system-job.ts`), which
 * lets it begin, `RUNS` of the worker (`worker-container/attempt/system-jobs.ts`), and `RUNS` of its effect
 * (`reconciler/after-attempt.ts`).
 */

interface SystemJobRule {
  /** What follows from its end, whatever that is. */
  readonly effect: EffectName;
  /** Whether clients can read it by its id. */
  readonly isReadable: boolean;
}

const NAMES = ['deploy'] as const;
export type SystemJobName = (typeof NAMES)[number];

export const SYSTEM_JOBS: Readonly<Record<SystemJobName, SystemJobRule>> = {
  /** Runs the commands of one deploy binding for one success. */
  deploy: { effect: 'deployed', isReadable: false },
};

/** Why a system job runs: for an attempt of a job. */
export type System = Extract<Cause, { kind: 'system' }>;

/** A job, as far as it may be a system job. */
interface MaybeSystem {
  readonly cause: Cause;
}

/** The name of a system job; undefined: it is none, or one that only a later version knows. */
export function systemName({ cause }: MaybeSystem): SystemJobName | undefined {
  return cause.kind === 'system' ? NAMES.find((name) => name === cause.name) : undefined;
}

/** Whether clients are not to know of a job. */
export function isHidden(job: MaybeSystem): boolean {
  const name = systemName(job);
  return job.cause.kind === 'system' && (name === undefined || !SYSTEM_JOBS[name].isReadable);
}
