import * as z from 'zod';
import type { Usage } from '../../contract/usage.ts';
import { type AgentFacts, type AgentReader, type MessageReader, mentions, withPrompt } from '../output/agent-output.ts';
import { createJsonLines } from '../output/json-lines.ts';
import { isUsageLimit, verdictOf } from '../output/vendor-failure.ts';

/** Parses `claude -p --output-format stream-json`. Unknown events change nothing. */
export function createClaudeReader(messages?: MessageReader, about?: string): AgentReader {
  let facts: AgentFacts = { finished: false };
  let limit: Limit | undefined;
  let worded: string | undefined;
  const lines = createJsonLines(
    (line) => {
      // claude writes the prompt into the session before it repeats it, or asks the model.
      const spoken = spokenSchema.safeParse(line).data;
      if (facts.lacksPrompt && spoken !== undefined) facts = withPrompt(facts);
      const event = eventSchema.safeParse(line).data;
      if (event?.type === 'rate_limit_event') limit = event.rate_limit_info;
      else if (event !== undefined)
        facts = { ...(beginsTurn(event) ? anotherTurn(facts) : facts), ...learn(event, { limit, worded }) };
      worded = spoken?.type === 'assistant' ? spoken.error : worded;
      if (event?.type !== 'assistant') return;
      for (const text of textsOf(event)) {
        messages?.push(text);
        messages?.end();
      }
    },
    { mentioning: mentions(about) },
  );
  // A line without its end is an event that was cut off.
  return { push: (chunk) => lines.push(chunk), end: () => undefined, facts: () => facts };
}

const count = z.number().default(0);
/** Tokens of one model, as results and sessions report them. */
export const modelUsageSchema = z.object({
  inputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  outputTokens: count,
  thinkingTokens: count,
});

const limitSchema = z.object({ status: z.string(), resetsAt: z.number().optional() });
type Limit = z.output<typeof limitSchema>;

const resultSchema = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean().default(false),
  api_error_status: z.number().nullish(),
  result: z.string().nullish(),
  errors: z.array(z.string()).nullish(),
  total_cost_usd: z.number().optional(),
  modelUsage: z.record(z.string(), modelUsageSchema).default({}),
});
type Result = z.output<typeof resultSchema>;

const spokenSchema = z.object({
  type: z.enum(['user', 'assistant']),
  /** claude words a failure as if the model had said it, and names its kind here. */
  error: z.string().optional().catch(undefined),
});
const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('system'),
    subtype: z.literal('init'),
    session_id: z.string(),
    model: z.string().min(1).optional().catch(undefined),
  }),
  z.object({
    type: z.literal('assistant'),
    // Set: a subagent's message to claude, not to us.
    parent_tool_use_id: z.null(),
    // Set: claude words a failure as if the model had said it. The result reports it too.
    error: z.null().optional(),
    message: z.object({ content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })) }),
  }),
  z.object({ type: z.literal('rate_limit_event'), rate_limit_info: limitSchema }),
  resultSchema,
]);
type Event = Exclude<z.output<typeof eventSchema>, { type: 'rate_limit_event' }>;

/** A turn begins, with the prompt, or a message that claude reads after its result: then that turn's end counts. */
function beginsTurn({ type }: Event): boolean {
  return type === 'system';
}

function anotherTurn({ error: _error, park: _park, refused: _refused, ...facts }: AgentFacts): AgentFacts {
  return { ...facts, finished: false, ...(facts.sessionId === undefined && { lacksPrompt: true }) };
}

/** What came before a result. */
interface Before {
  readonly limit: Limit | undefined;
  /** The kind of failure that the last message words. */
  readonly worded: string | undefined;
}

function learn(event: Event, before: Before): Partial<AgentFacts> {
  switch (event.type) {
    case 'system':
      return { sessionId: event.session_id, ...(event.model !== undefined && { model: event.model }) };
    case 'assistant': {
      const texts = textsOf(event);
      return texts.length === 0 ? {} : { finalMessage: texts.join('\n\n') };
    }
    case 'result':
      return conclusionOf(event, before);
  }
}

function textsOf({ message }: Extract<Event, { type: 'assistant' }>): string[] {
  return message.content.filter(({ type }) => type === 'text').map(({ text = '' }) => text);
}

function conclusionOf(event: Result, { limit, worded }: Before): Partial<AgentFacts> {
  const usage = usageOf(event);
  const known = { finished: true, ...(usage !== undefined && { usage }) };
  const { is_error, subtype, result } = event;
  const isRejected = limit?.status === 'rejected';
  // A limit may be reported beside an answer. Its words alone are the model's.
  const isLimit = result != null && isUsageLimit(result) && (isRejected || worded === 'rate_limit');
  // A vendor's error also has the subtype `success`.
  if (!is_error && subtype === 'success' && !isLimit) {
    return { ...known, ...(result != null && result !== '' && { finalMessage: result }) };
  }
  const error =
    [result, event.errors?.join('\n'), subtype].find((text) => text != null && text.trim() !== '') ?? subtype;
  const status = event.api_error_status ?? undefined;
  return {
    ...known,
    error,
    ...verdictOf({
      ...{ message: error, status },
      // A rejected limit may not have stopped the run: its vendor may allow more.
      ...(isRejected && status === 429 && { sign: 'usage_limit' as const }),
      until: isRejected ? endOf(limit) : undefined,
    }),
  };
}

/** When a limit ends, RFC 3339; undefined: not reported, or no time. */
function endOf({ resetsAt = Number.NaN }: Limit): string | undefined {
  const time = new Date(resetsAt * 1_000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The tokens of all models involved, including subagents'. Input includes what came from the vendor's cache. */
export function usageOf({
  modelUsage,
  total_cost_usd,
}: Pick<Result, 'modelUsage' | 'total_cost_usd'>): Usage | undefined {
  const models = Object.values(modelUsage);
  if (models.length === 0) return undefined;
  const sum = (tokens: (model: z.output<typeof modelUsageSchema>) => number) =>
    models.reduce((total, model) => total + tokens(model), 0);
  return {
    input_tokens: sum((model) => model.inputTokens + model.cacheReadInputTokens + model.cacheCreationInputTokens),
    cached_input_tokens: sum((model) => model.cacheReadInputTokens),
    output_tokens: sum((model) => model.outputTokens),
    reasoning_output_tokens: sum((model) => model.thinkingTokens),
    ...(total_cost_usd !== undefined && { cost_usd: total_cost_usd }),
  };
}
