import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced code block. */
interface Fence {
  readonly language: string;
  readonly text: string;
  /** The heading above it. */
  readonly heading: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
}

/** A Markdown document of the repository, by its path from the root. */
export interface Document {
  readonly path: string;
  readonly text: string;
  /** The lines that are not in a code block, with their numbers from 1. */
  readonly prose: readonly { readonly line: number; readonly text: string }[];
  readonly fences: readonly Fence[];
  /** Fragments that lead to its headings, as GitHub makes them. */
  readonly anchors: readonly string[];
}

/** All documents: at the root, and in docs. */
export const DOCUMENTS: readonly Document[] = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .map((path) => readDocument(path, readFileSync(`${ROOT}/${path}`, 'utf8')));

export function documentAt(path: string): Document {
  const found = DOCUMENTS.find((document) => document.path === path);
  if (found === undefined) throw new Error(`there is no document ${path}`);
  return found;
}

/** The shell blocks below a heading, in their order. */
export function shellBlocks(path: string, heading: string): string[] {
  return documentAt(path)
    .fences.filter((fence) => fence.language === 'sh' && fence.heading === heading)
    .map(({ text }) => text);
}

export function readDocument(path: string, text: string): Document {
  const prose: { line: number; text: string }[] = [];
  const fences: Fence[] = [];
  const headings: string[] = [];
  let open: { mark: string; indent: number; language: string; lines: string[]; line: number } | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    const [, indent = '', mark = '', language = ''] = /^(\s*)(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? [];
    if (open !== undefined) {
      if (mark === open.mark && language === '') {
        fences.push({
          language: open.language,
          text: open.lines.join('\n'),
          heading: headings.at(-1) ?? '',
          line: open.line,
        });
        open = undefined;
      } else open.lines.push(line.slice(open.indent));
    } else if (mark !== '') {
      open = { mark, indent: indent.length, language, lines: [], line: at + 1 };
    } else {
      prose.push({ line: at + 1, text: line });
      const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
      if (heading !== undefined) headings.push(heading);
    }
  }
  if (open !== undefined) throw new Error(`${path}:${open.line}: a code block without an end`);
  return { path, text, prose, fences, anchors: anchorsOf(headings) };
}

/** GitHub's fragments: lower case, without punctuation, spaces as hyphens; a repeated one gets a number. */
function anchorsOf(headings: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}
