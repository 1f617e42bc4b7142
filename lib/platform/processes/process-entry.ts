/** A process; its start time distinguishes it from a later one with the same pid. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0: the platform doesn't tell. */
  readonly session: number;
  /** In the platform's unit: clock ticks since the machine's start (Linux), or seconds since 1970. */
  readonly startedAt: number;
  /** It has ended, and its parent has not reaped it. */
  readonly zombie: boolean;
}

/** When a process was started, for telling later processes from earlier ones. */
export interface StartedProcess {
  readonly pid: number;
  /** As in `ProcessEntry`; undefined: unknown. */
  readonly startedAt?: number | undefined;
  /** How many the machine had started by then (`ProcessSource.starts`); undefined: unknown. */
  readonly starts?: number | undefined;
}

/** Where a platform lists its processes. Synchronous, so that little changes between finding and signalling them. */
export interface ProcessSource {
  /**
   * The ids of all processes at about this moment.
   * @param since leaves out what certainly started before it
   */
  pids(since?: StartedProcess): number[];
  /** How many processes and threads the machine has started; undefined: the platform doesn't tell. */
  starts(): number | undefined;
  /** A process of that list; `undefined`: it has ended. */
  listed(pid: number): ProcessEntry | undefined;
  /** A process of that list, if it started at this time or later. */
  listedSince(startedAt: number, pid: number): ProcessEntry | undefined;
  /** The current state of a process; `undefined`: there is none. */
  read(pid: number): ProcessEntry | undefined;
  /**
   * The value of a variable in the initial environment of a listed process; `undefined`: it has none, has ended, or the
   * platform doesn't tell.
   */
  environmentOf(pid: number, variable: string): string | undefined;
  /**
   * Whether a listed process can be this user's, of which none gains privileges: a first check, at a fifth of the
   * price of `realUidOf`, which alone is certain.
   */
  mayBeOf(uid: number, pid: number): boolean;
  /** The real user id of a listed process; `undefined`: it has ended. Any user may read this of any process. */
  realUidOf(pid: number): number | undefined;
}
