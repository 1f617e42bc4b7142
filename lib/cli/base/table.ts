import { harmless } from '../../contract/input/harmless.ts';

/** Widest cell, in columns of a terminal. */
const CELL_WIDTH = 60;
/** Characters that terminals show two columns wide, and those that take none. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;
const HALF = /^[\uFF61-\uFFDC]+$/u;
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const graphemes = new Intl.Segmenter();

/** Columns that a text without controls takes in a terminal. */
function widthOf(text: string): number {
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + widthOfOne(segment), 0);
}

function widthOfOne(grapheme: string): number {
  if (NONE.test(grapheme)) return 0;
  if (HALF.test(grapheme)) return grapheme.length;
  return WIDE.test(grapheme) ? 2 : 1;
}

/** Narrowest column that is cut, so that a line fits a terminal. */
const LEAST_WIDTH = 8;

/**
 * Rows in aligned columns, below a heading. Cells are cut to one line.
 * @param width columns of the terminal, to which cells behind the first column are cut; undefined: there is none
 */
export function table(
  heading: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
  width: number = Number.POSITIVE_INFINITY,
): string {
  const cells = [heading, ...rows].map((row) => row.map((value) => oneLine(value === null ? '-' : String(value))));
  const widths = heading.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ''))));
  const total = () => widths.reduce((sum, one) => sum + one, 2 * (widths.length - 1));
  while (total() > width) {
    // The first column has what other commands take.
    const widest = Math.max(...widths.slice(1));
    if (widest <= LEAST_WIDTH) break;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  const padded = (row: readonly string[]) =>
    row
      .map((cell, at) => oneLine(cell, widths[at]))
      .map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell))))
      .join('  ');
  return cells.map((row) => padded(row).trimEnd()).join('\n');
}

/** Names and values below each other; absent values are left out. */
export function fields(
  entries: readonly (readonly [name: string, value: string | number | null | undefined])[],
): string {
  const given = entries.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...given.map(([name]) => name.length));
  return given
    .map(([name, value]) => `${name.padEnd(width)}  ${harmless(String(value)).replaceAll('\n', ' ')}`)
    .join('\n');
}

function oneLine(text: string, most: number = CELL_WIDTH): string {
  const line = harmless(text).replaceAll(/\s+/g, ' ').trim();
  if (widthOf(line) <= most) return line;
  let shown = '';
  let width = 1;
  for (const { segment } of graphemes.segment(line)) {
    width += widthOfOne(segment);
    if (width > most) break;
    shown += segment;
  }
  return `${shown}…`;
}

/** How long ago a time was, in the largest unit. */
export function ago(time: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
