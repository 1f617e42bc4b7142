import { expect, it } from 'vitest';
import type { Outcome } from '../../../lib/jobs/receipts/receipt.ts';
import type { AgentFacts } from '../../../lib/vendors/output/agent-output.ts';
import { unlessRefused } from '../../../worker-container/attempt/attempt-session.ts';

const FAILED: Outcome = { kind: 'failed', reason: 'agent_error', error: 'no', exit_code: 1, signal: null };
const NONE: AgentFacts = { finished: false };
const used = (output_tokens: number) => ({
  ...{ input_tokens: 10, cached_input_tokens: 0, reasoning_output_tokens: 0, output_tokens },
});

/** What an attempt and its session were like. */
interface Situation {
  readonly outcome?: Partial<Outcome>;
  readonly resumed?: { isOtherAccount: boolean } | undefined;
  readonly facts?: Partial<AgentFacts>;
  readonly tokens?: number;
}

function judged({ outcome, facts, tokens, ...rest }: Situation): Outcome {
  const resumed = 'resumed' in rest ? rest.resumed : { isOtherAccount: false };
  const about = { facts: { ...NONE, ...facts }, used: tokens === undefined ? undefined : used(tokens) };
  return unlessRefused({ ...FAILED, ...outcome }, resumed, about);
}

const other = { isOtherAccount: true };

it.each<[string, Situation]>([
  ['its CLI reported an error before the session was open', {}],
  ['its CLI exited before the session was open', { outcome: { reason: 'exited' } }],
  ['the model refused the session of another account', { resumed: other, facts: { sessionId: 's' } }],
  ['the vendor refused what the session holds', { facts: { sessionId: 's', refused: 'conversation' } }],
  ['the model refused it, and only input was used', { resumed: other, facts: { sessionId: 's' }, tokens: 0 }],
])('an attempt that continues a session starts over if %s', (_why, situation) => {
  expect(judged(situation)).toEqual({
    ...{ kind: 'handed_back', reason: 'waiting_for_worker', session_refused: true, exit_code: 1, signal: null },
  });
});

it.each<[string, Situation]>([
  ['it continued none', { resumed: undefined }],
  ['its agent succeeded', { outcome: { kind: 'succeeded', reason: 'exited' } }],
  ['it took too long', { outcome: { reason: 'timed_out' } }],
  ['its CLI was killed', { outcome: { reason: 'exited', signal: 'SIGKILL' } }],
  ['its session was opened', { facts: { sessionId: 's' } }],
  ['the vendor refused the request whatever the session', { facts: { sessionId: 's', refused: 'request' } }],
  ['the model answered', { resumed: other, facts: { sessionId: 's', finalMessage: 'Done.' } }],
  ['the model wrote something', { resumed: other, facts: { sessionId: 's' }, tokens: 1 }],
])('an attempt keeps its outcome if %s', (_why, situation) => {
  expect(judged(situation)).toEqual({ ...FAILED, ...situation.outcome });
});
