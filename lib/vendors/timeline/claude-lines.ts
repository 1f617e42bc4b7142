import * as z from 'zod';
import type { AgentEvent, EventChange } from './agent-event.ts';
import { errorWords } from './error-words.ts';

/**
 * The events in a line of `claude -p --output-format stream-json`; undefined for other lines.
 * @param before the earlier events by key: the result of a tool call arrives in a separate line
 */
export function claudeChanges(
  line: unknown,
  before: (key: string) => AgentEvent | undefined,
): readonly EventChange[] | undefined {
  const event = lineSchema.safeParse(line).data;
  if (event === undefined) return undefined;
  switch (event.type) {
    case 'system':
      if (event.subtype === 'init')
        return [
          { event: { kind: 'note', text: `Session ${event.session_id ?? ''}, model ${event.model ?? 'unknown'}` } },
        ];
      return event.subtype === 'api_retry' ? [{ event: { kind: 'error', text: retryText(event) } }] : [];
    case 'assistant':
      return event.message.content.flatMap(assistantChanges).map(timed(event.timestamp));
    case 'user':
      return typeof event.message.content === 'string'
        ? []
        : event.message.content
            .flatMap((part) => (event.isReplay === true ? sentMeanwhile(part) : answered(part, before)))
            .map(timed(event.timestamp));
    case 'rate_limit_event':
    case 'command_lifecycle':
      return [];
    case 'result':
      return conclusion(event);
  }
}

/** Some messages have a timestamp. */
const timestamp = z.iso.datetime().optional().catch(undefined);

function timed(at: string | undefined) {
  return (change: EventChange): EventChange => (at === undefined ? change : { ...change, at: Date.parse(at) });
}

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const assistantPart = z.union([
  textPart,
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.looseObject({ type: z.string() }).transform(() => ({ type: 'unknown' as const })),
]);
const toolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).optional(),
  is_error: z.boolean().nullish(),
});
const userPart = z.union([toolResult, textPart, z.looseObject({ type: z.string() }).transform(() => undefined)]);
const resultSchema = z.object({
  type: z.literal('result'),
  is_error: z.boolean().default(false),
  result: z.string().nullish(),
  total_cost_usd: z.number().optional(),
  num_turns: z.number().optional(),
  duration_ms: z.number().optional(),
  usage: z.object({ input_tokens: z.number().optional(), output_tokens: z.number().optional() }).optional(),
});
const systemSchema = z.looseObject({
  type: z.literal('system'),
  subtype: z.string(),
  session_id: z.string().optional(),
  model: z.string().optional(),
});

const lineSchema = z.discriminatedUnion('type', [
  systemSchema,
  z.object({ type: z.literal('assistant'), timestamp, message: z.object({ content: z.array(assistantPart) }) }),
  z.object({
    type: z.literal('user'),
    timestamp,
    isReplay: z.boolean().optional().catch(undefined),
    message: z.object({ content: z.union([z.string(), z.array(userPart)]) }),
  }),
  z.object({ type: z.enum(['rate_limit_event', 'command_lifecycle']) }),
  resultSchema,
]);

const retrySchema = z.object({
  attempt: z.number(),
  max_retries: z.number().optional(),
  error_status: z.number().nullish(),
  error: z.string().nullish(),
});

function retryText(event: z.output<typeof systemSchema>): string {
  const retry = retrySchema.safeParse(event).data;
  if (retry === undefined) return 'The request to the vendor failed. The agent is retrying.';
  const cause = [retry.error_status, retry.error].filter((part) => part != null).join(' ');
  return `The request to the vendor failed${cause && ` (${cause})`}. Retry ${retry.attempt}${retry.max_retries === undefined ? '' : ` of ${retry.max_retries}`}.`;
}

const commandInput = z.object({ command: z.string() });
const fileInput = z.object({ file_path: z.string() });
const FILE_TOOLS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

function assistantChanges(part: z.output<typeof assistantPart>): EventChange[] {
  switch (part.type) {
    case 'text':
      return [{ event: { kind: 'message', text: part.text } }];
    case 'thinking':
      return [{ event: { kind: 'reasoning', text: part.thinking } }];
    case 'tool_use':
      return [{ key: part.id, event: toolStart(part.name, part.input) }];
    case 'unknown':
      return [];
  }
}

function toolStart(name: string, input: unknown): AgentEvent {
  const command = name === 'Bash' ? commandInput.safeParse(input).data?.command : undefined;
  if (command !== undefined) return { kind: 'command', command, output: '', exitCode: null, state: 'running' };
  const path = FILE_TOOLS.includes(name) ? fileInput.safeParse(input).data?.file_path : undefined;
  if (path !== undefined) return { kind: 'files', changes: [{ path, change: name.toLowerCase() }], state: 'running' };
  return { kind: 'tool', name, input: JSON.stringify(input, null, 2) ?? '', output: '', state: 'running' };
}

/** A message to the running job. claude also repeats the prompt, which is shown elsewhere. */
function sentMeanwhile(part: z.output<typeof userPart>): EventChange[] {
  return part?.type === 'text' && part.text.startsWith('Message msg_')
    ? [{ event: { kind: 'note', text: part.text } }]
    : [];
}

function answered(part: z.output<typeof userPart>, before: (key: string) => AgentEvent | undefined): EventChange[] {
  if (part?.type !== 'tool_result') return [];
  const { tool_use_id: key, content = '', is_error } = part;
  const output = typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
  const state = is_error === true ? 'failed' : 'done';
  const started = before(key);
  if (started?.kind === 'command' || started?.kind === 'tool') return [{ key, event: { ...started, output, state } }];
  if (started?.kind === 'files') return [{ key, event: { ...started, state } }];
  return [{ key, event: { kind: 'tool', name: 'Tool', input: '', output, state } }];
}

/** A success repeats the last message, which is already shown. */
function conclusion(event: z.output<typeof resultSchema>): EventChange[] {
  const facts: (readonly [string, string])[] = [];
  if (event.usage?.input_tokens !== undefined)
    facts.push(['Input', `${event.usage.input_tokens.toLocaleString('en')} tokens`]);
  if (event.usage?.output_tokens !== undefined)
    facts.push(['Output', `${event.usage.output_tokens.toLocaleString('en')} tokens`]);
  if (event.total_cost_usd !== undefined) facts.push(['Cost', `$${event.total_cost_usd.toFixed(4)}`]);
  if (event.num_turns !== undefined) facts.push(['Turns', String(event.num_turns)]);
  if (event.duration_ms !== undefined) facts.push(['Time', `${(event.duration_ms / 1000).toFixed(1)} s`]);
  const failure: EventChange[] = event.is_error
    ? [{ event: { kind: 'error', text: errorWords(event.result ?? 'The agent failed and gave no reason.') } }]
    : [];
  return [...failure, { event: { kind: 'usage', facts } }];
}
