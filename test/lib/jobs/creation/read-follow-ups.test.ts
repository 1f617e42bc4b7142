import { describe, expect, it } from 'vitest';
import { type BlockSearch, blocksOfLost, readBlocks } from '../../../../lib/jobs/creation/read-follow-ups.ts';
import { NewerSchemaError } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
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
  const inline = [
    { position: 0, body: '{}' },
    { position: 1, fault: 'too_long' as const },
  ];

  it('are taken from it if it has all bodies', async () => {
    const { search, opened } = searchOf({});
    expect(await all(readBlocks(search, receiptWith(inline)))).toEqual(inline);
    expect(await all(readBlocks(search, aReceipt({ kind: 'succeeded', reason: 'exited' })))).toEqual([]);
    expect(opened).toEqual([]);
  });

  it('are those with bodies if it does not name the agent', async () => {
    const receipt = receiptWith([...inline, { position: 2 }]);
    const { agent: _agent, ...older } = receipt;
    expect(await all(readBlocks(searchOf({}).search, older))).toEqual(inline);
  });

  it('are not read from the output of an agent that only a later version knows', async () => {
    const { search } = searchOf({});
    await expect(all(readBlocks(search, receiptWith([{ position: 0 }], { agent: 'later' })))).rejects.toThrow(
      NewerSchemaError,
    );
  });

  it('are read from the output if a body is missing, up to its last line', async () => {
    const { search, opened, cuts } = searchOf({ 1: `text\n${block('{"a":1}')}${block('{"b":1}').trimEnd()}` });
    expect(await all(readBlocks(search, receiptWith([{ position: 0 }, { position: 1, body: '{"b":1}' }])))).toEqual([
      { position: 0, body: '{"a":1}\n' },
      { position: 1, body: '{"b":1}\n' },
    ]);
    expect([opened, cuts]).toEqual([[1], []]);
  });

  it('are those found by the time that a search may take; one that is done then is whole', async () => {
    const late = searchOf({ 1: `${block('1')}${block('2')}` }, { isTimeOver: true });
    expect(await all(readBlocks(late.search, receiptWith([{ position: 0 }])))).toEqual([{ position: 0, body: '1\n' }]);
    const size = block('1').length;
    expect(late.cuts).toEqual([{ read: size, size: 2 * size }]);
    const done = searchOf({ 1: block('1') }, { isTimeOver: true });
    expect(await all(readBlocks(done.search, receiptWith([{ position: 0 }])))).toHaveLength(1);
    expect(done.cuts).toEqual([]);
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

  it.each([
    ['no later attempt continued it', { 2: receiptWith([]), 3: undefined }, 'shell'],
    ['its agent is not known', { 3: continuing() }, ''],
    ['only a later version knows its agent', { 3: continuing() }, 'later'],
  ])('are none, and its output is not searched: %s', async (_, receipts, agent) => {
    expect(await ofLost(receipts, agent)).toEqual({ bodies: [], opened: [] });
  });
});
