import { describe, expect, it } from 'vitest';
import type { AgentFacts } from '../../../lib/vendors/output/agent-output.ts';
import { AccountRequiredError } from '../../../worker-container/account/attempt-login.ts';
import {
  type AttemptEnd,
  attemptOutcome,
  endedEarly,
  notStarted,
  startFailure,
} from '../../../worker-container/attempt/attempt-outcome.ts';
import { SessionLostError } from '../../../worker-container/prompt/attempt-prompt.ts';

const ran: AgentFacts = { finished: false };
const exited = (exitCode: number | null, signal: NodeJS.Signals | null = null) => ({ exitCode, signal });

/** The outcome of an agent that exited with 0 unasked, with what differs. */
function outcome(differing: Partial<AttemptEnd> = {}) {
  return attemptOutcome({ ending: undefined, exit: exited(0), facts: ran, timeout: '5 seconds', ...differing });
}

it.each<[AttemptEnd['ending'], object]>([
  ['cancelled', { kind: 'cancelled', reason: 'cancelled_by_request' }],
  ['killed', { kind: 'cancelled', reason: 'killed_by_request' }],
  ['stopping', { kind: 'handed_back', reason: 'waiting_for_worker' }],
  ['lost', { kind: 'handed_back', reason: 'worker_lost' }],
  ['timed_out', { kind: 'failed', reason: 'timed_out', error: 'It ran longer than its timeout of 5 seconds.' }],
  ['silent', { kind: 'failed', reason: 'timed_out', error: 'The agent wrote nothing for too long.' }],
  ['no_start', { kind: 'failed', reason: 'start_failed', error: 'The agent wrote nothing after its start.' }],
  ['output_limit', { kind: 'failed', reason: 'output_limit', error: 'It wrote more than is kept of one stream.' }],
  ['output_failed', { kind: 'failed', reason: 'output_limit', error: expect.stringContaining('disk of the worker') }],
  ['asked', { kind: 'asked', reason: 'question' }],
  ['finished_not_exited', { kind: 'succeeded', reason: 'exited' }],
])('an attempt that the worker ended as %s says so, with how its process ended', (ending, expected) => {
  const how = { exit_code: null, signal: 'SIGTERM' };
  expect(outcome({ ending, exit: exited(null, 'SIGTERM') })).toEqual({ ...expected, ...how });
});

describe('an agent that exited unasked', () => {
  it.each([
    [exited(0), undefined],
    [exited(3), 'Exit code 3.'],
    [
      exited(137),
      "Exit code 137, a shell's for SIGKILL. Promptq did not send it; the system does when memory is used up.",
    ],
    [exited(null, 'SIGKILL'), 'Ended by SIGKILL. Promptq did not send it; the system does when memory is used up.'],
    [exited(null, 'SIGSEGV'), 'Ended by SIGSEGV.'],
  ])('with %o succeeded only if that is 0', (exit, error) => {
    const kind = error === undefined ? { kind: 'succeeded' } : { kind: 'failed', error };
    expect(outcome({ exit })).toEqual({ ...kind, reason: 'exited', exit_code: exit.exitCode, signal: exit.signal });
  });

  it('failed if it reported an error, whatever its exit code', () => {
    expect(outcome({ facts: { ...ran, error: 'refused' } })).toEqual({
      ...{ kind: 'failed', reason: 'agent_error', error: 'refused', exit_code: 0, signal: null },
    });
  });

  it('waits for an answer only if it would have succeeded', () => {
    expect(outcome({ asked: true })).toEqual({ kind: 'asked', reason: 'question', exit_code: 0, signal: null });
    expect(outcome({ asked: true, ending: 'finished_not_exited' })).toMatchObject({ kind: 'asked' });
    expect(outcome({ asked: true, exit: exited(1) })).toMatchObject({ kind: 'failed', error: 'Exit code 1.' });
  });
});

it('an agent that has to wait for its vendor is parked, also if its output was too long', () => {
  const park = { reason: 'usage_limit', until: '2026-12-01T00:00:00Z' } as const;
  const expected = {
    kind: 'parked',
    reason: 'usage_limit',
    until: park.until,
    error: 'limit',
    exit_code: 1,
    signal: null,
  };
  for (const ending of [undefined, 'finished_not_exited', 'output_limit', 'output_failed'] as const)
    expect(outcome({ ending, exit: exited(1), facts: { ...ran, error: 'limit', park }, asked: true })).toEqual(
      expected,
    );
  const withoutTime = outcome({ facts: { ...ran, park: { reason: 'account_required' } } });
  expect(withoutTime).toEqual({ kind: 'parked', reason: 'account_required', exit_code: 0, signal: null });
});

it('an agent with too much output waits for its answer, unless it failed', () => {
  for (const ending of ['output_limit', 'output_failed'] as const) {
    expect(outcome({ ending, asked: true })).toMatchObject({ kind: 'asked', reason: 'question' });
    const failed = outcome({ ending, asked: true, facts: { ...ran, error: 'refused' } });
    expect(failed).toMatchObject({ kind: 'failed', reason: 'output_limit' });
  }
});

it('an attempt whose agent never ran says why', () => {
  const how = { exit_code: null, signal: null };
  expect(notStarted()).toEqual({ kind: 'handed_back', reason: 'waiting_for_worker', ...how });
  expect(startFailure(new AccountRequiredError('log in'))).toEqual({
    ...{ kind: 'parked', reason: 'account_required', error: 'log in', ...how },
  });
  const lost = new SessionLostError('gone');
  expect(startFailure(lost)).toEqual({ kind: 'failed', reason: 'session_lost', error: lost.message, ...how });
  expect(startFailure(new Error('no bash'))).toEqual({
    kind: 'failed',
    reason: 'start_failed',
    error: 'no bash',
    ...how,
  });
  expect(startFailure('odd')).toMatchObject({ reason: 'start_failed', error: 'odd' });
  expect(endedEarly('cancelled', '1 minute')).toMatchObject({
    kind: 'cancelled',
    reason: 'cancelled_by_request',
    ...how,
  });
  expect(endedEarly('timed_out', '1 minute')).toMatchObject({ error: 'It ran longer than its timeout of 1 minute.' });
});
