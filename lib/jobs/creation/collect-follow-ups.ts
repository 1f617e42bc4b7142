import type { Profile } from '../../catalog/profiles.ts';
import { LIMITS } from '../../contract/limits.ts';
import { followUpsOf } from '../../contract/schemas/profile.ts';
import type { MessageReader } from '../../vendors/output/agent-output.ts';
import { createFencedBlocks, type FencedBlock } from '../../vendors/output/fenced-blocks.ts';
import { AGENT_OUTPUTS } from '../../vendors/outputs.ts';
import type { FollowUpBlocks } from '../receipts/follow-up-blocks.ts';

/** The info string of the blocks with which an agent requests follow-up jobs. */
const FOLLOW_UP_BLOCK = 'follow-up-job';

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

/** The follow-up requests that were found in messages. */
interface CollectedFollowUps {
  readonly messages: MessageReader;
  /** Undefined: none. */
  found(): FollowUpBlocks | undefined;
}

/** Collects follow-up requests for a receipt. Memory is bounded however much the agent writes. */
export function collectFollowUps(): CollectedFollowUps {
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

/** The follow-up blocks of one message, with their bodies. */
export function blocksIn(message: string): PlacedBlock[] {
  const blocks: PlacedBlock[] = [];
  const messages = readFollowUpBlocks((block) => blocks.push(block));
  messages.push(message);
  messages.end();
  return blocks;
}

/**
 * The follow-up requests of an attempt that count: those in the final message of its agent, or on the stdout of a script,
 * if its profile has them read.
 * @param all those of all its messages
 * @returns `ignored`: the warning about those that do not count
 */
export function countedFollowUps(
  profile: Pick<Profile, 'name' | 'agent' | 'follow_ups'>,
  all: CollectedFollowUps,
  finalMessage: string | undefined,
): { readonly counted: FollowUpBlocks | undefined; readonly ignored: string | undefined } {
  const isOn = followUpsOf(profile) === 'on';
  const counted = isOn ? ofFinalMessage(profile.agent, all, finalMessage) : undefined;
  const ignored = numberOf(all.found()) - numberOf(counted);
  if (ignored <= 0) return { counted, ignored: undefined };
  const why = isOn
    ? 'only the final message is searched'
    : `the profile ${profile.name} has the setting follow_ups: off`;
  return { counted, ignored: `follow-ups: ${ignored} block(s) ignored; ${why}` };
}

function ofFinalMessage(
  agent: Profile['agent'],
  all: CollectedFollowUps,
  finalMessage = '',
): FollowUpBlocks | undefined {
  if (AGENT_OUTPUTS[agent].isOneMessage) return all.found();
  const last = collectFollowUps();
  last.messages.push(finalMessage);
  last.messages.end();
  return last.found();
}

function numberOf(found: FollowUpBlocks | undefined): number {
  return found === undefined ? 0 : found.blocks.length + found.more;
}
