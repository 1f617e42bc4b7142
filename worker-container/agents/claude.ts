import { stripVTControlCharacters } from 'node:util';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { Agent, AgentFacts } from './agent.ts';
import { findClaude } from './claude-binary.ts';
import { claudeEnvironment } from './claude-environment.ts';
import { createClaudeReader } from './claude-events.ts';
import { parkedBy } from './claude-park.ts';
import { permissionArguments } from './claude-permissions.ts';

/** Anthropic's claude CLI. Facts are of version 2.1.328, from real runs. */
export const claude: Agent = {
  name: 'claude',
  // Ends the tools too; so does SIGINT, but then claude exits with 0.
  politeSignal: 'SIGTERM',
  maxPromptLength: LIMITS.claudePromptLength,

  async prepare(run) {
    const command = await findClaude(run.env.PROMPTQ_CLAUDE_BIN);
    return {
      command,
      args: [
        // Without `--verbose` it refuses to stream.
        ...['--print', '--output-format=stream-json', '--verbose'],
        // The working folder may instruct the model, but not set claude up: its settings could send the key elsewhere.
        ...['--setting-sources=user', '--strict-mcp-config', `--add-dir=${run.cwd}`],
        ...['--disallowedTools=ScheduleWakeup', ...permissionArguments(run.sandbox)],
        ...(run.model === undefined ? [] : [`--model=${run.model}`]),
        ...run.args,
      ],
      env: await claudeEnvironment(run),
      stdin: run.prompt,
    };
  },

  createReader: createClaudeReader,

  conclude(facts, { exitCode, stderrTail }): AgentFacts {
    if (exitCode === null || facts.finished || facts.error !== undefined) return facts;
    // It also exits with 0 when it is interrupted, so only a result is a success.
    if (exitCode === 0) return { ...facts, error: 'claude exited without a result' };
    const error = complaintOf(stderrTail);
    if (error === undefined) return facts;
    const park = parkedBy({ message: error });
    return { ...facts, error, ...(park !== undefined && { park }) };
  },
};

/** What claude said on stderr before it exited: its first error, or else its last line. */
function complaintOf(stderrTail: string): string | undefined {
  const lines = stripVTControlCharacters(stderrTail)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const said = lines.find((line) => /^error\b/i.test(line)) ?? lines.at(-1);
  return said?.replace(/^error:\s*/i, '');
}
