import type { Profile } from '../../lib/catalog/profiles.ts';
import type { Agent } from './agent.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { shell } from './shell.ts';

/** The adapters by name. */
export const AGENTS: Readonly<Record<Profile['agent'], Agent>> = { codex, claude, shell };
