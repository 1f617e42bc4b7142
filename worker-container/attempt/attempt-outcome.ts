import type { Outcome } from '../../lib/jobs/receipts/receipt.ts';
import type { AgentFacts } from '../../lib/vendors/output/agent-output.ts';
import { AccountRequiredError } from '../account/attempt-login.ts';
import type { EndingReason } from '../commands/ending.ts';
import type { TreeExit } from '../commands/process-tree.ts';
import { SessionLostError } from '../prompt/attempt-prompt.ts';

/** The record of a stream to which nothing was written. */
export const NO_STREAM = {
  bytes: 0,
  lines: 0,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  complete: true,
};

/** Everything that decides the outcome of an attempt. */
export interface AttemptEnd {
  /** Why the worker ended it; undefined: the agent exited without being asked. */
  readonly ending: EndingReason | undefined;
  readonly exit: TreeExit;
  readonly facts: AgentFacts;
  /** The agent's last question had no answer while it waited. */
  readonly asked?: boolean;
  /** The job's timeout in readable form: `5 seconds`. */
  readonly timeout: string;
}

/** The outcome of an attempt. Success needs exit 0 (or a final result) and no error reported by the agent itself. */
export function attemptOutcome({ ending, exit, facts, timeout, asked = false }: AttemptEnd): Outcome {
  const how = { exit_code: exit.exitCode, signal: exit.signal };
  switch (ending) {
    case 'cancelled':
      return { kind: 'cancelled', reason: 'cancelled_by_request', ...how };
    case 'killed':
      return { kind: 'cancelled', reason: 'killed_by_request', ...how };
    case 'stopping':
      return { kind: 'handed_back', reason: 'waiting_for_worker', ...how };
    case 'lost':
      return { kind: 'handed_back', reason: 'worker_lost', ...how };
    case 'timed_out':
      return { kind: 'failed', reason: 'timed_out', error: `It ran longer than its timeout of ${timeout}.`, ...how };
    case 'silent':
      return { kind: 'failed', reason: 'timed_out', error: 'The agent wrote nothing for too long.', ...how };
    case 'no_start':
      return { kind: 'failed', reason: 'start_failed', error: 'The agent wrote nothing after its start.', ...how };
    case 'output_limit':
    case 'output_failed':
      return (
        parked(facts, how) ??
        (asked && facts.error === undefined
          ? waiting(how)
          : { kind: 'failed', reason: 'output_limit', error: LOST_OUTPUT[ending], ...how })
      );
    case 'asked':
      return waiting(how);
    case 'finished_not_exited':
    case undefined:
      return unlessAsked(ownEnd(ending === 'finished_not_exited', exit, facts, how), asked);
  }
}

/** The outcome of an agent that waits for an answer. */
function waiting({ exit_code, signal }: Pick<Outcome, 'exit_code' | 'signal'>): Outcome {
  return { kind: 'asked', reason: 'question', exit_code, signal };
}

/** Why output of an agent is lost. */
export const LOST_OUTPUT = {
  output_limit: 'It wrote more than is kept of one stream.',
  output_failed: 'Its output could not be kept: the disk of the worker failed or is full.',
} as const;

/** An agent that ended its turn because of a question has not succeeded yet. */
function unlessAsked(outcome: Outcome, asked: boolean): Outcome {
  return asked && outcome.kind === 'succeeded' ? waiting(outcome) : outcome;
}

function ownEnd(
  finished: boolean,
  exit: TreeExit,
  facts: AgentFacts,
  how: Pick<Outcome, 'exit_code' | 'signal'>,
): Outcome {
  const forVendor = parked(facts, how);
  if (forVendor !== undefined) return forVendor;
  if (facts.error !== undefined)
    return {
      ...{ kind: 'failed', reason: 'agent_error', error: facts.error, ...how },
      ...(facts.refused !== undefined && { final: true }),
    };
  if (exit.exitCode === 0 || finished) return { kind: 'succeeded', reason: 'exited', ...how };
  return {
    kind: 'failed',
    reason: 'exited',
    error: errorOf(exit),
    ...how,
  };
}

/** The exit code of a shell whose last command was ended by SIGKILL: 128 and the signal's number. */
const KILLED = 137;
/** The worker's own SIGKILL has another reason. */
const WHO_KILLS = 'Promptq did not send it; the system does when memory is used up.';

function errorOf({ exitCode, signal }: TreeExit): string {
  if (exitCode === KILLED) return `Exit code ${exitCode}, a shell's for SIGKILL. ${WHO_KILLS}`;
  if (signal === 'SIGKILL') return `Ended by ${signal}. ${WHO_KILLS}`;
  return signal === null ? `Exit code ${exitCode}.` : `Ended by ${signal}.`;
}

/** The outcome of an agent that has to wait for its vendor. What it wrote until then does not count: it continues. */
function parked({ park, error }: AgentFacts, how: Pick<Outcome, 'exit_code' | 'signal'>): Outcome | undefined {
  if (park === undefined) return undefined;
  const { reason, until } = park;
  return {
    kind: 'parked',
    reason,
    ...(error !== undefined && { error }),
    ...(until !== undefined && { until }),
    ...how,
  };
}

/**
 * The outcome if the worker could not read settings, or lacks disk space or processes: not the job's fault, so it does
 * not count.
 */
export function notStarted(): Outcome {
  return { kind: 'handed_back', reason: 'waiting_for_worker', exit_code: null, signal: null };
}

/** The outcome of an attempt that never ran. */
export function startFailure(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof AccountRequiredError)
    return { kind: 'parked', reason: 'account_required', error: message, exit_code: null, signal: null };
  const reason = error instanceof SessionLostError ? 'session_lost' : 'start_failed';
  return { kind: 'failed', reason, error: message, exit_code: null, signal: null };
}

/** The outcome of an attempt that was ended before its agent started. */
export function endedEarly(ending: EndingReason | undefined, timeout: string): Outcome {
  return attemptOutcome({ ending, exit: { exitCode: null, signal: null }, facts: { finished: false }, timeout });
}
