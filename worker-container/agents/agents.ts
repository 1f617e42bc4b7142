import type { AgentName } from '../../lib/contract/agents.ts';
import type { Agent } from './agent.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { shell } from './shell.ts';

/** The adapters by name. */
export const AGENTS: Readonly<Record<AgentName, Agent>> = { codex, claude, shell };
