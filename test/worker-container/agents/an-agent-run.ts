import { stat } from 'node:fs/promises';
import type { AgentRun } from '../../../worker-container/agents/agent.ts';

/** Any program that can be run stands for the CLIs where none is started. */
export const BINARY = '/bin/true';
export const TOOLS = { url: 'http://127.0.0.1:9/mcp', key: 'tool-key' };
export const VENDOR = { baseUrl: 'http://127.0.0.1:8/v1', apiKey: 'vendor-key' };

/** A run in an attempt's folder, with what differs. */
export function agentRun(attemptDir: string, differing: Partial<AgentRun> = {}): AgentRun {
  const env = { PROMPTQ_CODEX_BIN: BINARY, PROMPTQ_CLAUDE_BIN: BINARY, PATH: '/bin', ...differing.env };
  const plain = { prompt: 'Do it.', model: undefined, cwd: '/job', attemptDir, args: [], vendor: undefined };
  return { ...plain, hidden: [], timeoutMs: undefined, sandbox: 'none', drive: 'auto', ...differing, env };
}

/** What a mode lets whom do, such as `600`. */
export async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}
