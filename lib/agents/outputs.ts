import type { Profile } from '../catalog/profiles.ts';
import type { AgentOutput } from './agent-output.ts';
import { claudeOutput } from './claude-output.ts';
import { codexOutput } from './codex-output.ts';
import { shellOutput } from './shell-output.ts';

/** How each agent's output is understood, by the agent's name. */
export const AGENT_OUTPUTS: Readonly<Record<Profile['agent'], AgentOutput>> = {
  codex: codexOutput,
  claude: claudeOutput,
  shell: shellOutput,
};
