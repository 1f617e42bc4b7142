import * as z from 'zod';

/*
 * What Slack takes as blocks of a message, of those that the service uses: https://docs.slack.dev/reference/block-kit. The
 * length of all blocks together is not documented.
 */

const ALL_CHARACTERS = 13_000;

const plain = (most: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(most),
    emoji: z.boolean().optional(),
  });
const mrkdwn = (most: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: z.string().min(1).max(most),
    verbatim: z.boolean().optional(),
  });
const either = (most: number) => z.discriminatedUnion('type', [plain(most), mrkdwn(most)]);
const named = { block_id: z.string().max(255).optional() };

const button = z.strictObject({
  type: z.literal('button'),
  action_id: z.string().max(255),
  text: plain(75),
  value: z.string().max(2_000).optional(),
  url: z.url().max(3_000).optional(),
});

const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: plain(150), ...named }),
  z.strictObject({ type: z.literal('section'), text: either(3_000), ...named }),
  z.strictObject({ type: z.literal('context'), elements: z.array(either(3_000)).min(1).max(10), ...named }),
  z.strictObject({ type: z.literal('actions'), elements: z.array(button).min(1).max(25), ...named }),
]);
const blocks = z
  .array(block)
  .max(50)
  .refine((list) => {
    const ids = list.flatMap((one) => (one.type === 'actions' ? one.elements.map(({ action_id }) => action_id) : []));
    return new Set(ids).size === ids.length;
  }, 'action_id is not unique');
export type Blocks = z.output<typeof blocks>;

/** The blocks of a message, each with an id, as Slack gives them back; or the code of the error. */
export function checkBlocks(given: unknown): { readonly blocks: Blocks } | { readonly error: string } {
  const parsed = blocks.safeParse(given ?? []);
  if (!parsed.success) return { error: 'invalid_blocks' };
  if (JSON.stringify(parsed.data).length > ALL_CHARACTERS) return { error: 'msg_blocks_too_long' };
  return { blocks: parsed.data.map((one, at) => ({ block_id: `b${at}`, ...one })) };
}
