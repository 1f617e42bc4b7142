/** Exit codes of every command, for scripts. */
export const EXIT = {
  succeeded: 0,
  jobFailed: 1,
  usage: 2,
  jobCancelled: 3,
  notFound: 4,
  notAllowed: 5,
  unreachable: 6,
  waiting: 7,
  /** A fault of the command itself. */
  internal: 70,
  hungUp: 129,
  interrupted: 130,
  unread: 141,
  terminated: 143,
} as const;

/** Exit codes of a command that a signal has ended. */
export const EXIT_OF_SIGNAL = {
  SIGHUP: EXIT.hungUp,
  SIGINT: EXIT.interrupted,
  SIGPIPE: EXIT.unread,
  SIGTERM: EXIT.terminated,
} as const;

/** The signals that ask a command to end. */
export const STOP_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Why a command is to end: such a signal, or SIGPIPE, because the reader of its output has left. */
export type StopSignal = keyof typeof EXIT_OF_SIGNAL;

/** For `--help` and the guide. */
export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [EXIT.succeeded, 'success; for run and wait: the job succeeded'],
  [EXIT.jobFailed, 'the job failed, or the command did'],
  [EXIT.usage, 'invalid arguments, or a request that the service rejects'],
  [EXIT.jobCancelled, 'the job was cancelled'],
  [EXIT.notFound, 'not found'],
  [EXIT.notAllowed, 'not allowed: the token is invalid or lacks a scope'],
  [EXIT.unreachable, "the service can't be reached"],
  [EXIT.waiting, 'the job waits for a person, or --timeout is over; it continues'],
  [EXIT.internal, 'a fault of the command itself'],
  [EXIT.hungUp, 'interrupted by SIGHUP: its terminal was closed'],
  [EXIT.interrupted, 'interrupted by Ctrl-C'],
  [EXIT.unread, 'interrupted: the reader of its output has left'],
  [EXIT.terminated, 'interrupted by SIGTERM'],
];
