import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DOCUMENTS, type Document, documentAt, ROOT, readDocument } from './documents.ts';

interface Link {
  readonly where: string;
  /** Path from the root, or the address. */
  readonly target: string;
  readonly anchor: string;
}

function linksOf({ path, prose }: Document): Link[] {
  return prose.flatMap(({ line, text }) =>
    [...text.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => {
      const [file = '', anchor = ''] = link.split('#');
      const isAddress = /^[a-z]+:/.test(file);
      const target = isAddress ? file : file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
      return { where: `${path}:${line}: ${link}`, target, anchor };
    }),
  );
}

const isAddress = ({ target }: Link) => /^[a-z]+:/.test(target);
const inside = DOCUMENTS.flatMap(linksOf).filter((link) => !isAddress(link));

/** Folders whose files documents name. */
const NAMED = /`((?:lib|functions|worker-container|console|bin|bench|test|docs)\/[\w./-]+)`/g;

test('documents hold no marks of a merge', () => {
  const marked = DOCUMENTS.filter(({ path }) => /^(?:<{7}|={7}|>{7})/m.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(marked.map(({ path }) => path)).toEqual([]);
});

describe('links of the documents', () => {
  test('are found, and anchors are those of GitHub', () => {
    const document = readDocument(
      'docs/a.md',
      "# It's `one` (1)\n\n[a](b/c.md#d)\n\n```sh\n[no](x)\n```\n## Two\n## Two\n",
    );
    expect(document.anchors).toEqual(['its-one-1', 'two', 'two-1']);
    expect(linksOf(document)).toEqual([{ where: 'docs/a.md:3: b/c.md#d', target: 'docs/b/c.md', anchor: 'd' }]);
    expect(inside.length).toBeGreaterThan(60);
  });

  test('lead to files that exist', () => {
    const broken = inside.filter(({ target }) => !existsSync(join(ROOT, target)));
    expect(broken.map(({ where }) => where)).toEqual([]);
  });

  test('lead to headings that exist', () => {
    const broken = inside.filter(({ target, anchor }) => {
      if (anchor === '') return false;
      const file = readFileSync(join(ROOT, target), 'utf8');
      return !readDocument(target, file).anchors.includes(anchor);
    });
    expect(broken.map(({ where }) => where)).toEqual([]);
  });

  test('lead from the README to every document but single decisions', () => {
    const readme = DOCUMENTS.find(({ path }) => path === 'README.md');
    const linked = new Set(readme === undefined ? [] : linksOf(readme).map(({ target }) => target));
    const missing = DOCUMENTS.map(({ path }) => path).filter(
      (path) => path !== 'README.md' && !path.startsWith('docs/decisions/') && !linked.has(path),
    );
    expect(missing).toEqual([]);
    expect(linked).toContain('docs/decisions/README.md');
  });

  test('lead from the index of decisions to each of them, once', () => {
    const index = documentAt('docs/decisions/README.md');
    const decisions = DOCUMENTS.map(({ path }) => path).filter((path) => /^docs\/decisions\/\d/.test(path));
    expect(
      linksOf(index)
        .map(({ target }) => target)
        .toSorted(),
    ).toEqual(decisions);
  });
});

test('files that documents name exist', () => {
  const missing = DOCUMENTS.flatMap(({ path, prose }) =>
    prose.flatMap(({ line, text }) =>
      [...text.matchAll(NAMED)]
        .filter(([, name = '']) => !existsSync(join(ROOT, name)))
        .map(([, name]) => `${path}:${line}: ${name}`),
    ),
  );
  expect(missing).toEqual([]);
});

test('lines of prose end within 120 characters', () => {
  const long = DOCUMENTS.filter(({ path }) => !/^docs\/(decisions|operate\/cost)/.test(path)).flatMap(
    ({ path, prose }) =>
      prose
        .filter(({ text }) => text.length > 120 && !/^\s*\||^!\[|^[^ ]*$|`[^`]{90,}`|\]\([^)]{60,}\)/.test(text))
        .map(({ line }) => `${path}:${line}`),
  );
  expect(long).toEqual([]);
});
