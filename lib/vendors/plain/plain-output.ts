import type { PlainCli } from '../../contract/agents/definition.ts';
import { type AgentFacts, type AgentOutput, mentions } from '../output/agent-output.ts';
import { createJsonLines } from '../output/json-lines.ts';
import { shellOutput } from '../shell/shell-output.ts';

/** The output of a CLI that its definition describes. */
export function plainOutput({ read }: PlainCli): AgentOutput {
  if (read === undefined) return shellOutput;
  return {
    createReader(messages, about) {
      let facts: AgentFacts = { finished: false };
      const lines = createJsonLines(
        (line) => {
          const { message, ...reported } = read(line);
          facts = { ...facts, ...reported, ...(message !== undefined && { finalMessage: message }) };
          if (message === undefined) return;
          messages?.push(message);
          messages?.end();
        },
        { mentioning: mentions(about) },
      );
      // A line without its end is an event that was cut off.
      return { push: (chunk) => lines.push(chunk), end: () => undefined, facts: () => facts };
    },
    conclude: (facts) => facts,
  };
}
