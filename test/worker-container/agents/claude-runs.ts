import { afterAll, beforeAll } from 'vitest';
import type { AgentRun } from '../../../worker-container/agents/agent.ts';
import { claudeCli, INSTALL_LIMIT } from './claude-cli.ts';
import { type PracticeMessages, startPracticeMessages } from './practice-messages.ts';

/** The real CLI and a stand-in for its vendor, for the tests of a file. */
export function claudeRuns() {
  let vendor: PracticeMessages;
  let binary: string;
  beforeAll(async () => {
    [vendor, binary] = await Promise.all([startPracticeMessages(), claudeCli()]);
  }, INSTALL_LIMIT);
  afterAll(() => vendor.close());
  return {
    vendor: () => vendor,
    /** A run against the stand-in, with few retries. */
    run: (settings: Partial<AgentRun> & { prompt: string }): Partial<AgentRun> => {
      const env = { PROMPTQ_CLAUDE_BIN: binary, CLAUDE_CODE_MAX_RETRIES: '1', ...settings.env };
      return { vendor, ...settings, env };
    },
  };
}
