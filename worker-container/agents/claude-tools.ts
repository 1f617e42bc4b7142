import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOOL_SERVER, TOOL_TIMEOUT_SECONDS } from '../commands/tool-access.ts';
import type { AgentRun } from './agent.ts';

/**
 * Writes the file that tells claude of the attempt's tools. The key is in the file only: arguments are visible to
 * others, and tools inherit the environment.
 * @returns arguments that name the file, and the tools to allow
 */
export async function claudeTools({ tools, attemptDir }: Pick<AgentRun, 'tools' | 'attemptDir'>): Promise<{
  readonly args: readonly string[];
  readonly allowed: readonly string[];
}> {
  if (tools === undefined) return { args: [], allowed: [] };
  const path = join(attemptDir, 'tools.json');
  const server = {
    type: 'http',
    url: tools.url,
    headers: { Authorization: `Bearer ${tools.key}` },
    timeout: TOOL_TIMEOUT_SECONDS * 1000,
    // Otherwise the model has to search for a tool before it can call it.
    alwaysLoad: true,
  };
  await writeFile(path, JSON.stringify({ mcpServers: { [TOOL_SERVER]: server } }), { mode: 0o600 });
  return { args: [`--mcp-config=${path}`], allowed: [`mcp__${TOOL_SERVER}`] };
}
