import { expect, it } from 'vitest';
import type { Context } from '../../../../lib/cli/base/context.ts';
import { printAnswer, summary } from '../../../../lib/cli/jobs/answer.ts';
import type { Promptq, Schemas } from '../../../../lib/client/promptq.ts';

const RESULT: Partial<Schemas['JobResult']> = {
  status: 'FAILED',
  state_reason: { code: 'agent_error', message: 'The agent failed.', retryable: false },
  attempt: 2,
  duration_ms: 1_250,
  exit_code: 3,
  signal: null,
  error: null,
};

it.for([
  ['an exit code', {}, 'FAILED: The agent failed. (attempt 2, 1.3 s, exit code 3)'],
  ['a signal', { exit_code: null, signal: 'SIGKILL' }, 'FAILED: The agent failed. (attempt 2, 1.3 s, SIGKILL)'],
  ['no attempt that ended', { duration_ms: null, exit_code: null }, 'FAILED: The agent failed. (attempt 2)'],
  [
    'an exit code that its reason names',
    { state_reason: { message: 'The process ended. Exit code 3.' } },
    'FAILED: The process ended. Exit code 3. (attempt 2, 1.3 s)',
  ],
  ['an error', { error: 'no model' }, 'FAILED: The agent failed. (attempt 2, 1.3 s, exit code 3) no model'],
  [
    'an error that is the reason',
    {
      error: 'no model',
      state_reason: { code: 'agent_error', message: 'The agent failed: no model', retryable: false },
    },
    'FAILED: The agent failed: no model (attempt 2, 1.3 s, exit code 3)',
  ],
] as const)('the summary of a job with %s', ([, changed, line]) => {
  expect(summary({ ...RESULT, ...changed } as Schemas['JobResult'])).toBe(line);
});

it.each(['Hello', 'Hello\n'])('the answer %j is printed as a line', async (message) => {
  const copied: unknown[] = [];
  const terminal = { copy: async (...given: unknown[]) => void copied.push(given) };
  const result = { ...RESULT, final_message: message } as Schemas['JobResult'];
  await printAnswer({ terminal } as unknown as Context, {} as Promptq, result);
  expect(copied).toEqual([['stdout', 'Hello\n']]);
});
