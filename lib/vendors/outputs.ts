import type { Profile } from '../catalog/profiles.ts';
import { claudeOutput } from './claude/claude-output.ts';
import { codexOutput } from './codex/codex-output.ts';
import type { AgentOutput } from './output/agent-output.ts';
import { shellOutput } from './shell/shell-output.ts';

/** How each agent's output is understood, by the agent's name. */
export const AGENT_OUTPUTS: Readonly<Record<Profile['agent'], AgentOutput>> = {
  codex: codexOutput,
  claude: claudeOutput,
  shell: shellOutput,
};
