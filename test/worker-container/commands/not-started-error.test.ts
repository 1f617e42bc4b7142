import { expect, it } from 'vitest';
import { AgentNotStartedError } from '../../../worker-container/commands/not-started-error.ts';

const KEPT = { attachments: [], warnings: [] };

it('an agent that was not started has the message of the reason, whatever that is', () => {
  const cause = new Error('there is no bash');
  expect(new AgentNotStartedError(cause, KEPT)).toMatchObject({ message: 'there is no bash', cause, kept: KEPT });
  expect(new AgentNotStartedError('odd', KEPT).message).toBe('odd');
});
