/** What there is for workers to do. */
export interface Demand {
  /** Jobs that are ready and due; parked ones are not. */
  readonly waiting: number;
  readonly running: number;
  /** Vendor accounts with a login to be run, or one to be revoked. */
  readonly logins: number;
  /** Jobs on which deploy bindings have commands to run. */
  readonly bindings: number;
}

/** A registered worker that was heard of lately. */
export interface StartedWorker {
  /** How many jobs it runs. */
  readonly running: number;
  /** Why it takes no more work: it goes when its jobs have ended (`draining`), or soon, and gives them back (`stopped`). */
  readonly leaving?: 'draining' | 'stopped' | undefined;
}

/** What a decision follows from. */
export interface LaunchSituation {
  readonly demand: Demand;
  readonly workers: readonly StartedWorker[];
  /** Tasks that were launched lately and have not registered yet. */
  readonly pending: number;
  /** Tasks that were launched longer ago and have neither registered nor ended: they are not counted on, but they are there. */
  readonly late: number;
  /** Jobs that one worker runs at once. */
  readonly concurrency: number;
  /** Most tasks at once, those that leave included. */
  readonly maxWorkers: number;
}

export interface LaunchDecision {
  /** Workers that the work is worth. */
  readonly need: number;
  /** Workers that are there for it, or on their way. */
  readonly started: number;
  readonly launch: number;
}

/**
 * How many workers to launch: as many as the work needs, less those that are started. Jobs of workers that drain need no
 * other worker; those of workers that are being stopped do, since they come back.
 */
export function decideLaunch(situation: LaunchSituation): LaunchDecision {
  const { demand, workers, pending, late, concurrency, maxWorkers } = situation;
  const staying = workers.filter(({ leaving }) => leaving === undefined).length;
  const draining = workers.filter(({ leaving }) => leaving === 'draining');
  const served = draining.reduce((sum, { running }) => sum + running, 0);
  const work = demand.waiting + Math.max(0, demand.running - served) + demand.logins + demand.bindings;
  const need = Math.min(maxWorkers, Math.ceil(work / concurrency));
  const started = staying + pending;
  const room = maxWorkers - workers.length - pending - late;
  return { need, started, launch: Math.max(0, Math.min(need - started, room)) };
}
