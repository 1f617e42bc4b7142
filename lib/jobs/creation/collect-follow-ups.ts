import { LIMITS } from '../../contract/limits.ts';
import type { MessageReader } from '../../vendors/output/agent-output.ts';
import { createFencedBlocks, type FencedBlock } from '../../vendors/output/fenced-blocks.ts';
import type { FollowUpBlocks } from '../receipts/follow-up-blocks.ts';

/** The info string of the blocks with which an agent requests follow-up jobs. */
export const FOLLOW_UP_BLOCK = 'follow-up-job';

/** UTF-8 bytes of block bodies that a receipt holds. The rest is read from the output when it is needed. */
const INLINE = { body: 64 * 1024, all: 256 * 1024 } as const;

/** A block with its position among all blocks of its attempt, malformed ones included. */
export type PlacedBlock = FencedBlock & { readonly position: number };

/** Finds follow-up requests in an agent's messages. Emits at most the block limit, but counts all. */
export function readFollowUpBlocks(onBlock: (block: PlacedBlock) => void): MessageReader & { more(): number } {
  let position = 0;
  const messages = createFencedBlocks({
    info: FOLLOW_UP_BLOCK,
    maxBytes: LIMITS.followUps.blockBytes,
    onBlock: (block) => {
      if (position < LIMITS.followUps.blocks) onBlock({ ...block, position });
      position += 1;
    },
  });
  return { ...messages, more: () => Math.max(0, position - LIMITS.followUps.blocks) };
}

/** Collects an attempt's follow-up requests for its receipt. Memory is bounded however much the agent writes. */
export function collectFollowUps(): { readonly messages: MessageReader; found(): FollowUpBlocks | undefined } {
  const blocks: FollowUpBlocks['blocks'] = [];
  let inline = 0;
  const messages = readFollowUpBlocks((block) => {
    if ('fault' in block) return void blocks.push(block);
    const bytes = Buffer.byteLength(block.body);
    const fits = bytes <= INLINE.body && inline + bytes <= INLINE.all;
    if (fits) inline += bytes;
    blocks.push({ position: block.position, ...(fits && { body: block.body }) });
  });
  return { messages, found: () => (blocks.length === 0 ? undefined : { blocks, more: messages.more() }) };
}
