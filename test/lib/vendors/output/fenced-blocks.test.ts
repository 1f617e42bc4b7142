import { describe, expect, it } from 'vitest';
import { createFencedBlocks, type FencedBlock } from '../../../../lib/vendors/output/fenced-blocks.ts';

/** The blocks of one message that comes in parts of `size` characters. */
function blocksOf(text: string, { size = text.length, maxBytes = 1_000_000 } = {}): FencedBlock[] {
  const found: FencedBlock[] = [];
  const reader = createFencedBlocks({ info: 'wanted', maxBytes, onBlock: (block) => found.push(block) });
  for (let at = 0; at < text.length; at += Math.max(1, size)) reader.push(text.slice(at, at + size));
  reader.end();
  return found;
}

const TICKS = '```';

describe('a block', () => {
  it('is found wherever the stream is cut', () => {
    const text = `before\n${TICKS}wanted\n{"a":"é😀"}\n${TICKS}\nbetween\n~~~~ wanted \r\n{\r\n"b": 2 }\r\n~~~~~\nafter`;
    for (let size = 1; size <= text.length; size += 1)
      expect(blocksOf(text, { size })).toEqual([{ body: '{"a":"é😀"}\n' }, { body: '{\n"b": 2 }\n' }]);
  });

  it('is closed only by a fence of its own kind that is at least as long', () => {
    const text = `\`\`\`\`wanted\n${TICKS}\n~~~~\n\`\`\`\`x\n\`\`\`\`\`\n`;
    expect(blocksOf(text)).toEqual([{ body: `${TICKS}\n~~~~\n\`\`\`\`x\n` }]);
  });

  it('may be closed by the last line of the message', () => {
    expect(blocksOf(`${TICKS}wanted\n{}\n${TICKS}`)).toEqual([{ body: '{}\n' }]);
  });

  it('that is not closed ends with its message', () => {
    expect(blocksOf(`${TICKS}wanted\n{}\n`)).toEqual([{ fault: 'not_closed' }]);
  });

  it('that is too long is returned without a body, and the next one is read', () => {
    const text = `${TICKS}wanted\n${'x'.repeat(200)}\n${TICKS}\n${TICKS}wanted\n{}\n${TICKS}\n`;
    expect(blocksOf(text, { size: 7, maxBytes: 100 })).toEqual([{ fault: 'too_long' }, { body: '{}\n' }]);
  });
});

it.for([
  ['within a line', `see ${TICKS}wanted\n{}\n${TICKS}\n`],
  ['indented like code', `    ${TICKS}wanted\n{}\n    ${TICKS}\n`],
  ['of two characters', '``wanted\n{}\n``\n'],
  ['with another info string', `${TICKS}json\n{}\n${TICKS}\n${TICKS}wanted too\n{}\n${TICKS}\n`],
  ['shown in a larger block', `\`\`\`\`markdown\n${TICKS}wanted\n{}\n${TICKS}\n\`\`\`\`\n`],
  ['shown in a block of tildes', `~~~\n${TICKS}wanted\n{}\n${TICKS}\n~~~\n`],
] as const)('a fence %s is none', ([, text]) => {
  expect(blocksOf(text)).toEqual([]);
});
