import { StringDecoder } from 'node:string_decoder';
import type { AgentOutput } from '../output/agent-output.ts';

/** A script reports nothing about itself; all of its stdout is one message. */
export const shellOutput: AgentOutput = {
  isOneMessage: true,
  createReader(messages) {
    const decoder = new StringDecoder('utf8');
    return {
      push: (chunk) => messages?.push(decoder.write(chunk)),
      end() {
        messages?.push(decoder.end());
        messages?.end();
      },
      facts: () => ({ finished: false }),
    };
  },
  conclude: (facts) => facts,
};
