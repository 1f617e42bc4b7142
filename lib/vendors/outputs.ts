import type { AgentName } from '../contract/agents.ts';
import { claudeOutput } from './claude/claude-output.ts';
import { codexOutput } from './codex/codex-output.ts';
import type { AgentOutput } from './output/agent-output.ts';
import { shellOutput } from './shell/shell-output.ts';

/** The output parsers by agent name. */
export const AGENT_OUTPUTS: Readonly<Record<AgentName, AgentOutput>> = {
  codex: codexOutput,
  claude: claudeOutput,
  shell: shellOutput,
};
