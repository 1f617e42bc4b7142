import { stripVTControlCharacters } from 'node:util';
import type { AgentOutput } from '../output/agent-output.ts';
import { createCodexReader } from './codex-events.ts';
import { failureOf } from './codex-failure.ts';
import { createCodexMeter } from './codex-meter.ts';

/** The output of OpenAI's codex CLI: events on stdout, errors on stderr. Texts are those of version 0.169.0. */
export const codexOutput: AgentOutput = {
  createReader: createCodexReader,
  createMeter: createCodexMeter,

  conclude(facts, { exitCode, stderrTail }) {
    if (facts.error !== undefined || exitCode === null) return facts;
    // The app server exits with 0 whenever its input ends.
    if (exitCode === 0) return facts.open === true ? { ...facts, error: 'codex exited before its turn ended' } : facts;
    const error = complaintOf(stderrTail);
    return error === undefined ? facts : { ...failureOf({ message: error }), ...facts, error };
  },
};

/** codex's message on stderr before it exited: its last error, otherwise its last line that isn't chatter. */
function complaintOf(stderrTail: string): string | undefined {
  const lines = stripVTControlCharacters(stderrTail)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !CHATTER.test(line));
  const said = lines.findLast((line) => /^error\b/i.test(line)) ?? lines.at(-1);
  return said?.replace(LOG_PREFIX, '').replace(/^error:\s*/i, '');
}

const CHATTER = /^(WARNING: |Reading (additional input|prompt) from stdin)/;
const LOG_PREFIX = /^\d{4}-\d\d-\d\dT\S+\s+[A-Z]+\s+\S+:\s+/;
