import * as z from 'zod';
import { type Conversation, conversationOf, type HistoryItem, stepOf } from '../model/conversation.ts';

/** Reads the body of `POST /v1/messages`. Throws a ZodError for an invalid body. */
export function readMessages(body: unknown): Conversation & { readonly model: string } {
  const { messages, model } = requestSchema.parse(body);
  const items = messages.flatMap(({ role, content }) => content.flatMap((block) => readBlock(role, block)));
  return { ...conversationOf(items), model };
}

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
});
type Block = z.output<typeof blockSchema>;
const contentSchema = z.union([
  z.string().transform((text): Block[] => [{ type: 'text', text }]),
  z.array(blockSchema),
]);
const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: contentSchema })),
});

/** claude 2.1.328 also sends user texts itself: about its surroundings. */
const FROM_CLAUDE = /^\s*<system-reminder>/;

/** How claude 2.1.328 words messages that the user sent during the turn. */
const SENT_MEANWHILE =
  /^The user sent a new message while you were working:\n([\s\S]*?)\n\nThis is how Claude Code surfaces messages/gm;

/** What claude puts in place of the model's answer when it resumes an interrupted turn. */
const UNANSWERED = 'No response requested.';

function readBlock(role: string, block: Block): readonly HistoryItem[] {
  const sent =
    role === 'system' ? Array.from((block.text ?? '').matchAll(SENT_MEANWHILE), ([, text = '']) => text) : [];
  return sent.length > 0 ? sent.map((text) => ({ kind: 'prompt', text })) : [readOne(role, block)];
}

function readOne(role: string, block: Block): HistoryItem {
  if (block.type === 'tool_result') {
    const text = textOf(block.content);
    const step = stepOf(block.tool_use_id);
    const result = step === undefined ? undefined : { step, session: undefined, output: text };
    return { kind: 'other', text, result };
  }
  const { text = '' } = block;
  if (block.type !== 'text') return { kind: 'other', text };
  if (role === 'assistant') return { kind: text === UNANSWERED ? 'context' : 'message', text };
  return { kind: role !== 'user' || FROM_CLAUDE.test(text) ? 'context' : 'prompt', text };
}

function textOf(content: unknown): string {
  const read = contentSchema.safeParse(content);
  return read.success ? read.data.map(({ text = '' }) => text).join('') : '';
}
