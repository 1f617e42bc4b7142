import { expect, test } from 'vitest';
import type { RestoredSession } from '../../../worker-container/agent-sessions/restore-session.ts';
import { attemptPrompt } from '../../../worker-container/prompt/attempt-prompt.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

/** @param attempt of the job, whose session its agent continues; undefined: the session of an earlier turn */
async function promptOf(attempt: number | undefined): Promise<string> {
  const resumed = { attempt, messageIds: new Set() } as unknown as RestoredSession;
  const situation = { agent: 'codex', prompt: 'Paint it.', earlier: [], resumed, redaction: new Redaction() } as const;
  return (await attemptPrompt(quietDeployment() as never, aRunningJob({ agent: 'codex' }), situation)).prompt;
}

test('an agent whose work was interrupted gets a note on what to expect, and not its task again', async () => {
  const note = (await promptOf(1)).replaceAll('\n', ' ');
  for (const part of [
    'was interrupted, and now continues',
    'The last command may be half done: check before you repeat it.',
    'Temporary files may be gone',
    'the working folder may have changed',
  ])
    expect(note).toContain(part);
  expect(note).not.toContain('Paint it.');
});

test('an agent that continues the session of an earlier turn gets its task alone', async () => {
  expect(await promptOf(undefined)).toBe('Paint it.');
});
