import * as z from 'zod';
import { type Conversation, conversationOf, type HistoryItem, stepOf, type ToolResult } from '../model/conversation.ts';

/** Reads the body of `POST /v1/responses`. Throws a ZodError for an invalid body. */
export function readResponses(body: unknown): Conversation {
  return conversationOf(requestSchema.parse(body).input.map(readItem));
}

const itemSchema = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })).nullish(),
  arguments: z.string().optional(),
  call_id: z.string().optional(),
  output: z.unknown().optional(),
});
type Item = z.output<typeof itemSchema>;
const requestSchema = z.looseObject({ input: z.array(itemSchema) });

/** codex 0.169 also sends user messages itself: about the environment, skills, interruptions. */
const FROM_CODEX = /^<(environment_context|user_instructions|skill|turn_aborted|subagent_notification)>/;

function readItem(item: Item): HistoryItem {
  return { kind: kindOf(item), text: textOf(item), result: readResult(item) };
}

function kindOf(item: Item): HistoryItem['kind'] {
  if (item.role === 'assistant') return 'message';
  if (item.role !== 'user') return item.role === undefined ? 'other' : 'context';
  return FROM_CODEX.test(textOf(item)) ? 'context' : 'prompt';
}

function textOf(item: Item): string {
  if (item.output !== undefined) return outputOf(item.output);
  return item.arguments ?? item.content?.map((part) => part.text ?? '').join('') ?? '';
}

/** The output of a command is a text, that of a tool of the attempt a list of texts. */
function outputOf(output: unknown): string {
  if (typeof output === 'string') return output;
  const { data } = z.array(z.looseObject({ text: z.string() })).safeParse(output);
  return data === undefined ? JSON.stringify(output) : data.map(({ text }) => text).join('\n');
}

/** codex 0.169 formats a call's result as some lines of facts, this line, and the output; observed in real requests. */
const OUTPUT_HEADING = '\nOutput:\n';

function readResult(item: Item): ToolResult | undefined {
  const step = stepOf(item.call_id);
  if (item.type !== 'function_call_output' || step === undefined) return undefined;
  const text = textOf(item);
  const heading = text.indexOf(OUTPUT_HEADING);
  const facts = heading < 0 ? text : text.slice(0, heading);
  const output = heading < 0 ? text : text.slice(heading + OUTPUT_HEADING.length);
  // Searched in the facts only: a command may print such a line itself.
  const session = /^Process running with session ID (\d+)$/m.exec(facts)?.[1];
  return { step, session: session === undefined ? undefined : Number(session), output };
}
