import { describe, expect, test } from 'vitest';
import { DOCUMENTS } from './documents.ts';

/** Phrases that read as translated, and what to write instead. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [/\bof (?:its|their|our|your) own accord\b/i, 'automatically, or nothing'],
  [/\bof (?:its|their|one's|our) own\b(?! \w)/i, 'its own X, or separate'],
  [/\bby (?:itself|themselves|oneself)\b/i, 'automatically, or nothing'],
  [/\b(?:himself|herself)\b/i, 'the subject again'],
  [/\b(?:whoever|whosoever|whomever)\b/i, 'the subject: a client, the worker'],
  [/(?:^|[.:;] )Who (?:is|was|has|asks|calls)\b(?!.*\?)/, 'the subject: a client, the worker'],
  [/\bleave to\b/i, 'permission, or hint'],
  [/\b(?:goes|go|went|going) on\b/i, 'continues'],
  [/\bgoes? with (?:it|them|its)\b/i, 'is deleted with'],
  [/\b(?:stands|stand|stood) in (?:the|a|its|their|no|one)\b/i, 'is in'],
  [/\b(?:was|were|is|are|be|been) told\b/i, 'gets, receives, is reported to'],
  [/\b(?:sets?|putting|puts?) right\b/i, 'corrects'],
  [/\b(?:a|the|last|next|first|second|one) look\b/i, 'check, poll'],
  [/\blooks? again\b/i, 'checks again'],
  [/\b(?:at|by) the (?:least|most)\b/i, 'at least, at most'],
  [/\bis no matter of\b/i, 'does not concern'],
  [/\b(?:takes?|took|taken|taking) (?:it|them|\w+) away\b/i, 'removes, disables'],
  [/\bsince ever\b/i, 'all time'],
  [/\bhold(?:s|ing)? good\b/i, 'applies'],
  [/\bcan not\b/i, "can't"],
];

/** Lines of prose without code, link targets and headings, which may quote old titles. */
const lines = DOCUMENTS.filter(({ path }) => !path.startsWith('docs/decisions/')).flatMap(({ path, prose }) =>
  prose
    .filter(({ text }) => !text.startsWith('#'))
    .map(({ line, text }) => ({ where: `${path}:${line}`, text: text.replaceAll(/`[^`]*`|"[^"]*"|\]\([^)]*\)/g, '') })),
);

describe('the prose of the documents', () => {
  test('is read by this test', () => {
    expect(lines.length).toBeGreaterThan(500);
    const found = PHRASES.filter(([phrase]) => phrase.test('Whoever looks again goes on by itself, anew.'));
    expect(found).toHaveLength(5);
  });

  test.each(PHRASES)('has no %s: write %s', (phrase) => {
    expect(lines.filter(({ text }) => phrase.test(text)).map(({ where, text }) => `${where}: ${text}`)).toEqual([]);
  });
});
