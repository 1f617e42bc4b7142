/** The work available for workers. */
export interface Demand {
  /** Jobs that are ready and due; parked ones are not counted. */
  readonly waiting: number;
  readonly running: number;
  /** Vendor accounts with a login to run or revoke. */
  readonly logins: number;
}

/** A worker that registered recently. */
export interface StartedWorker {
  /** How many jobs it runs. */
  readonly running: number;
  /** Why it takes no more work: it exits when its jobs have ended (`draining`), or soon, returning them (`stopped`). */
  readonly leaving?: 'draining' | 'stopped' | undefined;
}

/** The inputs of a decision. */
export interface LaunchSituation {
  readonly demand: Demand;
  readonly workers: readonly StartedWorker[];
  /** Tasks that were launched recently and have not registered yet. */
  readonly pending: number;
  /** Tasks that were launched longer ago and have neither registered nor ended: they exist, but are not counted on. */
  readonly late: number;
  /** Jobs that one worker runs at once. */
  readonly concurrency: number;
  /** The least number of workers, whatever the work. */
  readonly warm: number;
  /** Most tasks at once, including those that are exiting. */
  readonly maxWorkers: number;
}

export interface LaunchDecision {
  /** Workers that the work needs, or that wait for work. */
  readonly need: number;
  /** Workers that are started or starting. */
  readonly started: number;
  readonly launch: number;
}

/**
 * How many workers to launch: as many as the work needs, less those that are started. Jobs of draining workers need no
 * other worker; jobs of workers that are being stopped do, since they are handed back.
 */
export function decideLaunch(situation: LaunchSituation): LaunchDecision {
  const { demand, workers, pending, late, concurrency, warm, maxWorkers } = situation;
  const staying = workers.filter(({ leaving }) => leaving === undefined).length;
  const draining = workers.filter(({ leaving }) => leaving === 'draining');
  const served = draining.reduce((sum, { running }) => sum + running, 0);
  const work = demand.waiting + Math.max(0, demand.running - served) + demand.logins;
  const need = Math.min(maxWorkers, Math.max(warm, Math.ceil(work / concurrency)));
  const started = staying + pending;
  const room = maxWorkers - workers.length - pending - late;
  return { need, started, launch: Math.max(0, Math.min(need - started, room)) };
}
