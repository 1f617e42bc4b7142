/** Settings before a diagram, between two lines of `---`. */
const FRONTMATTER = /^-{3}\s*\n[\s\S]*?\n-{3}\s*\n/;

/**
 * The line of a text that a parser's fault is on. mermaid's parsers count without front matter, comments and the blank
 * lines before the diagram, and may name the line behind the last one.
 * @param line as the parser counts, from 1
 * @returns a line of the text, from 1
 */
export function originalLine(text: string, line: number): number {
  const lines = text.split(/\r\n?|\n/);
  const before = FRONTMATTER.exec(text.replaceAll(/\r\n?/g, '\n'))?.[0].split('\n').length ?? 1;
  const kept: number[] = [];
  for (const [at, content] of lines.entries()) {
    const isCut = at < before - 1 || /^\s*%%(?!\{)/.test(content) || (kept.length === 0 && content.trim() === '');
    if (!isCut) kept.push(at + 1);
  }
  while (kept.length > 1 && lines[(kept.at(-1) ?? 1) - 1]?.trim() === '') kept.pop();
  return kept[Math.min(Math.max(line, 1), kept.length) - 1] ?? 1;
}
