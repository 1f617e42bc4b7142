import { describe, expect, it } from 'vitest';
import { type BlockSearch, blocksOfLost, readBlocks } from '../../../../lib/jobs/creation/read-follow-ups.ts';
import type { FollowUpBlocks } from '../../../../lib/jobs/receipts/follow-up-blocks.ts';
import type { Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { aReceipt } from '../a-job.ts';

const block = (body: string) => `\`\`\`follow-up-job\n${body}\n\`\`\`\n`;

/** A search of outputs by attempt, in parts of one block; `opened` has the attempts that were searched. */
function searchOf(outputs: Record<number, string>, { isTimeOver = false } = {}) {
  const opened: number[] = [];
  const cuts: unknown[] = [];
  const search: BlockSearch = {
    async openStream(_, attempt) {
      opened.push(attempt);
      const stored = Buffer.from(outputs[attempt] ?? '');
      return {
        size: stored.length,
        async *read() {
          for (const part of stored.toString().split(/(?<=```\n)/)) yield Buffer.from(part);
        },
      };
    },
    isTimeOver: () => isTimeOver,
    onCut: (searched) => cuts.push(searched),
  };
  return { search, opened, cuts };
}
const receiptWith = (blocks: FollowUpBlocks['blocks'], more: Partial<Receipt> = {}) =>
  aReceipt({ kind: 'succeeded', reason: 'exited' }, { agent: 'shell', follow_ups: { blocks, more: 0 }, ...more });
const all = async <T>(items: AsyncIterable<T>) => await Array.fromAsync(items);

describe('the blocks of a receipt', () => {
  it('are read from the output if a body is missing, up to its last line', async () => {
    const { search, opened, cuts } = searchOf({ 1: `text\n${block('{"a":1}')}${block('{"b":1}').trimEnd()}` });
    expect(await all(readBlocks(search, receiptWith([{ position: 0 }, { position: 1, body: '{"b":1}' }])))).toEqual([
      { position: 0, body: '{"a":1}\n' },
      { position: 1, body: '{"b":1}\n' },
    ]);
    expect([opened, cuts]).toEqual([[1], []]);
  });
});

describe('the blocks of a lost attempt', () => {
  const ofLost = async (receipts: Record<number, Receipt | undefined>, agent: string | undefined = 'shell') => {
    const { search, opened } = searchOf({ 1: `${block('a')}${block('b')}` });
    const job = { id: 'job_1', attempt: 3, ...(agent !== '' && { agent }) };
    const found = await all(blocksOfLost(search, async (_, attempt) => receipts[attempt], job, 1));
    return { bodies: found.map((one) => ('body' in one ? one.body.trim() : one.fault)), opened };
  };
  const continuing = (blocks: FollowUpBlocks['blocks'] = []) => receiptWith(blocks, { attempt: 3, chain: [1, 2] });

  it('are those that the attempts which continued it have not repeated', async () => {
    expect(await ofLost({ 3: continuing() })).toEqual({ bodies: ['a', 'b'], opened: [1] });
    const repeating = continuing([
      { position: 0, body: 'a\n' },
      { position: 1, fault: 'not_closed' },
    ]);
    expect(
      (await ofLost({ 2: receiptWith([{ position: 0, body: 'b\n' }], { attempt: 2 }), 3: repeating })).bodies,
    ).toEqual(['b']);
  });
});
