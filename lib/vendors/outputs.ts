import { type AgentName, PLAIN_CLIS, type SpecialAgent } from '../contract/agents.ts';
import { claudeOutput } from './claude/claude-output.ts';
import { codexOutput } from './codex/codex-output.ts';
import type { AgentOutput } from './output/agent-output.ts';
import { plainOutput } from './plain/plain-output.ts';
import { shellOutput } from './shell/shell-output.ts';

const SPECIAL: Readonly<Record<SpecialAgent, AgentOutput>> = {
  codex: codexOutput,
  claude: claudeOutput,
  shell: shellOutput,
};

/** The output parsers by agent name. */
export const AGENT_OUTPUTS = {
  ...SPECIAL,
  ...Object.fromEntries(PLAIN_CLIS.map(({ name, cli }) => [name, plainOutput(cli)])),
} as Readonly<Record<AgentName, AgentOutput>>;
