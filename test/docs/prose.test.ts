import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PHRASES, QUOTING, TREES } from './dialect.ts';
import { ROOT, readDocument } from './documents.ts';

interface Line {
  readonly line: number;
  readonly text: string;
}

/** Prose of a document without code, link targets, quotations and headings, which may be titles of earlier texts. */
function documentLines(path: string, source: string): Line[] {
  return readDocument(path, source)
    .prose.filter(({ text }) => !text.startsWith('#'))
    .map(({ line, text }) => ({ line, text: text.replaceAll(/`[^`]*`|"[^"]*"|\]\([^)]*\)/g, '').trim() }));
}

/** Lines of source text, without the marks of comments. */
function sourceLines(source: string): Line[] {
  return source
    .split('\n')
    .map((text, at) => ({ line: at + 1, text: text.replace(/^\s*(?:\/\*\*|\*\/?|\/\/)?\s*/, '') }));
}

/** Where a phrase occurs in lines that are read as one text: `line: the line's text`. */
function occurrences(phrase: RegExp, lines: readonly Line[]): string[] {
  const text = lines.map((line) => line.text).join('\n');
  return [...text.replaceAll('\n', ' ').matchAll(phrase)].map(({ index }) => {
    const found = lines[text.slice(0, index).split('\n').length - 1];
    return `${found?.line}: ${found?.text}`;
  });
}

const texts = globSync([...TREES], { cwd: ROOT, exclude: QUOTING }).map((file) => {
  const path = file.replaceAll('\\', '/');
  const source = readFileSync(join(ROOT, path), 'utf8');
  return { path, lines: path.endsWith('.md') ? documentLines(path, source) : sourceLines(source) };
});

describe('the prose of the trees of dialect.ts', () => {
  test('is found in each tree', () => {
    expect(TREES.filter((tree) => globSync(tree, { cwd: ROOT }).length === 0)).toEqual([]);
    expect(texts.length).toBeGreaterThan(100);
  });

  test('is searched across the ends of lines, and by the line where a phrase begins', () => {
    const lines = sourceLines('/**\n * A worker looks\n * again, and goes on by itself.\n */');
    const found = PHRASES.flatMap(([phrase]) => occurrences(phrase, lines));
    expect(found).toHaveLength(3);
    expect(found).toContain('2: A worker looks');
    expect(found).toContain('3: again, and goes on by itself.');
  });

  test.each(PHRASES)('has no %s: write %s', (phrase) => {
    const found = texts.flatMap(({ path, lines }) => occurrences(phrase, lines).map((where) => `${path}:${where}`));
    expect(found).toEqual([]);
  });
});
