import * as z from 'zod';

/** The result of one of our tool calls, as codex resends it. */
interface ToolResult {
  /** The step of the call. */
  readonly step: number;
  /** The unified-exec session to poll, while the command still runs. */
  readonly session: number | undefined;
  /** New output of the command since the last poll. */
  readonly output: string;
}

/** The practice model's whole state of a run: codex resends the full history with each request. */
export interface Conversation {
  readonly prompt: string;
  /** Results of the calls since that prompt, oldest first. */
  readonly results: readonly ToolResult[];
  /** Items in the request's history; makes call ids unique within a thread. */
  readonly length: number;
  /** Characters since the prompt, including it. */
  readonly characters: number;
  /** Of these, characters that are new in this request. */
  readonly freshCharacters: number;
}

/** Reads the body of `POST /v1/responses`. Throws a ZodError for an invalid body. */
export function readConversation(body: unknown): Conversation {
  const { input } = requestSchema.parse(body);
  const prompted = input.findLastIndex(isPrompt);
  const start = prompted < 0 ? input.findLastIndex(isFromUser) : prompted;
  const since = start < 0 ? [] : input.slice(start);
  return {
    prompt: since[0] === undefined ? '' : textOf(since[0]),
    results: since.flatMap(readResult),
    length: input.length,
    characters: since.reduce((sum, item) => sum + textOf(item).length, 0),
    freshCharacters: textOf(since.at(-1) ?? {}).length,
  };
}

/** The id of a call of `step`, which `readConversation` parses. */
export function callId(step: number, conversation: Conversation): string {
  return `practice_${step}_${conversation.length}`;
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

function isPrompt(item: Item): boolean {
  return isFromUser(item) && !FROM_CODEX.test(textOf(item));
}

function isFromUser(item: Item): boolean {
  return item.role === 'user';
}

function textOf(item: Item): string {
  if (item.output !== undefined) return typeof item.output === 'string' ? item.output : JSON.stringify(item.output);
  return item.arguments ?? item.content?.map((part) => part.text ?? '').join('') ?? '';
}

/** codex 0.169 formats a call's result as some lines of facts, this line, and the output; observed in real requests. */
const OUTPUT_HEADING = '\nOutput:\n';

function readResult(item: Item): readonly ToolResult[] {
  const step = /^practice_(\d+)_/.exec(item.call_id ?? '')?.[1];
  if (item.type !== 'function_call_output' || step === undefined) return [];
  const text = textOf(item);
  const heading = text.indexOf(OUTPUT_HEADING);
  const facts = heading < 0 ? text : text.slice(0, heading);
  const output = heading < 0 ? text : text.slice(heading + OUTPUT_HEADING.length);
  // Searched in the facts only: a command may print such a line itself.
  const session = /^Process running with session ID (\d+)$/m.exec(facts)?.[1];
  return [{ step: Number(step), session: session === undefined ? undefined : Number(session), output }];
}
