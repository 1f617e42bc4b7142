import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { abilitiesOf, AGENTS as NAMES } from '../../../lib/contract/agents.ts';
import { AGENTS } from '../../../worker-container/agents/agents.ts';

test.each(NAMES)('clients read of %s what its adapter does', async (name) => {
  const attemptDir = await mkdtemp(join(tmpdir(), 'promptq-abilities-'));
  const agent = AGENTS[name];
  try {
    const binary = { PROMPTQ_CODEX_BIN: '/bin/true', PROMPTQ_CLAUDE_BIN: '/bin/true' };
    const { drive } = await agent.prepare({
      ...{ prompt: 'true', model: undefined, cwd: attemptDir, attemptDir, args: [], timeoutMs: undefined },
      env: { PATH: process.env.PATH ?? '', HOME: attemptDir, ...binary },
      ...{ hidden: [], sandbox: 'none', drive: 'auto', vendor: undefined },
    });
    expect(abilitiesOf(name)).toEqual({
      resume: agent.sessionFolder !== undefined,
      steer: drive.name !== 'exec',
      ask: agent.takesTools,
    });
  } finally {
    await rm(attemptDir, { recursive: true });
  }
});
