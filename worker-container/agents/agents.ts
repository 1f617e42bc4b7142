import { type AgentName, PLAIN_CLIS, type SpecialAgent } from '../../lib/contract/agents.ts';
import type { Agent } from './agent.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { plainAgent } from './plain-agent.ts';
import { shell } from './shell.ts';

const SPECIAL: Readonly<Record<SpecialAgent, Agent>> = { codex, claude, shell };

/** The adapters by name. */
export const AGENTS = {
  ...SPECIAL,
  ...Object.fromEntries(PLAIN_CLIS.map((definition) => [definition.name, plainAgent(definition)])),
} as Readonly<Record<AgentName, Agent>>;
