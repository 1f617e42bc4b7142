import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import { addUsage, type Usage } from '../../contract/usage.ts';
import type { AgentOutput, SessionMeter, SessionPart } from '../output/agent-output.ts';
import { createJsonLines, MOST_OF_A_RECORD } from '../output/json-lines.ts';
import { usageSince } from '../output/usage-since.ts';
import { verdictOf } from '../output/vendor-failure.ts';
import { createClaudeReader, modelUsageSchema, usageOf } from './claude-events.ts';

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

/**
 * Takes what earlier attempts used from what claude reports. claude 2.1.328 writes its totals into the session when it
 * ends, and counts on from there when it resumes. One that is asked to end may write its totals without reporting
 * them. One that is killed writes none, and the next run's totals leave its calls out: they are summed up from its
 * messages, without a cost, which those do not have.
 */
function createClaudeMeter(): SessionMeter {
  const totals: Partial<Record<SessionPart, Usage | undefined>> = {};
  /** Since the last totals. */
  const calls = { unbilled: new Calls(), own: new Calls() };
  let part: SessionPart = 'own';
  const lines = createJsonLines(
    (line) => {
      const found = lineSchema.safeParse(line).data;
      if (found === undefined) return;
      const since = part === 'billed' ? undefined : calls[part];
      if ('id' in found) {
        since?.note(found.id, found.usage);
        return;
      }
      totals[part] = found.totals ?? totals[part];
      since?.clear();
    },
    { maxLineBytes: MOST_OF_A_RECORD, mentioning: ['cost-state', '"type":"assistant"'] },
  );
  return {
    push(chunk, of) {
      part = of;
      lines.push(chunk);
    },
    reset() {
      totals.own = undefined;
      calls.own.clear();
    },
    usage(reported) {
      const total = reported ?? totals.own ?? totals.unbilled;
      const since = total === undefined ? undefined : usageSince(total, totals.billed);
      const restored = calls.unbilled.addedTo(since);
      return reported === undefined ? calls.own.addedTo(restored) : restored;
    },
  };
}

/** Calls that are kept apart. The lines of a message are near each other, and an agent can write any number of them. */
const MOST_OPEN = 500;

/** Model calls by their messages, of which each is a line for each of its blocks, with the tokens as known by then. */
class Calls {
  readonly #open = new Map<string, Usage>();
  #closed: Usage | undefined;

  note(id: string, usage: Usage): void {
    this.#open.set(id, usage);
    if (this.#open.size <= MOST_OPEN) return;
    for (const [oldest, used] of this.#open) {
      this.#closed = addUsage(used, this.#closed);
      this.#open.delete(oldest);
      return;
    }
  }

  clear(): void {
    this.#open.clear();
    this.#closed = undefined;
  }

  addedTo(usage: Usage | undefined): Usage | undefined {
    const all = [...(this.#closed === undefined ? [] : [this.#closed]), ...this.#open.values()];
    return all.reduce((sum: Usage | undefined, one) => addUsage(one, sum), usage);
  }
}

// The agent can write into its session.
const count = z.int().nonnegative().default(0);
const lineSchema = z.union([
  z
    .object({
      type: z.literal('cost-state'),
      totalCostUSD: z.number().optional(),
      modelUsage: z.record(z.string(), modelUsageSchema),
    })
    .transform(({ totalCostUSD, modelUsage }) => ({ totals: usageOf({ modelUsage, total_cost_usd: totalCostUSD }) })),
  z
    .object({
      type: z.literal('assistant'),
      message: z.object({
        id: z.string().max(100),
        // What claude words itself, such as a failure, is no call.
        model: z.string().refine((model) => model !== '<synthetic>'),
        usage: z.object({
          input_tokens: count,
          cache_creation_input_tokens: count,
          cache_read_input_tokens: count,
          output_tokens: count,
          output_tokens_details: z.object({ thinking_tokens: count }).nullish().catch(undefined),
        }),
      }),
    })
    .transform(({ message: { id, usage } }) => ({
      id,
      usage: {
        input_tokens: usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
        cached_input_tokens: usage.cache_read_input_tokens,
        output_tokens: usage.output_tokens,
        reasoning_output_tokens: usage.output_tokens_details?.thinking_tokens ?? 0,
      },
    })),
]);
