import { stripVTControlCharacters } from 'node:util';
import type { AgentOutput } from '../output/agent-output.ts';
import { verdictOf } from '../output/vendor-failure.ts';
import { createClaudeReader } from './claude-events.ts';
import { createClaudeMeter } from './claude-meter.ts';

/** The output of Anthropic's claude CLI: events on stdout, errors on stderr. Texts are those of version 2.1.328. */
export const claudeOutput: AgentOutput = {
  createReader: createClaudeReader,
  createMeter: createClaudeMeter,

  conclude(facts, { exitCode, stderrTail }) {
    if (exitCode === null || facts.finished || facts.error !== undefined) return facts;
    // claude also exits with 0 when it is interrupted, so only a result is a success.
    if (exitCode === 0) return { ...facts, error: 'claude exited without a result' };
    const error = complaintOf(stderrTail);
    return error === undefined ? facts : { ...facts, error, ...verdictOf({ message: error }) };
  },
};

/** claude's message on stderr before it exited: its first error, otherwise its last line. */
function complaintOf(stderrTail: string): string | undefined {
  const lines = stripVTControlCharacters(stderrTail)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const said = lines.find((line) => /^error\b/i.test(line)) ?? lines.at(-1);
  return said?.replace(/^error:\s*/i, '');
}
