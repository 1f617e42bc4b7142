import { harmless } from './terminal.ts';

/** Longest cell in characters. */
const CELL_LENGTH = 60;

/** Rows in aligned columns, below a heading. Cells are cut to one line. */
export function table(heading: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const cells = [heading, ...rows].map((row) => row.map((value) => oneLine(value === null ? '-' : String(value))));
  const widths = heading.map((_, at) => Math.max(...cells.map((row) => [...(row[at] ?? '')].length)));
  const padded = (row: readonly string[]) =>
    row.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - [...cell].length)).join('  ');
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

function oneLine(text: string): string {
  const line = harmless(text).replaceAll(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= CELL_LENGTH ? line : `${characters.slice(0, CELL_LENGTH - 1).join('')}…`;
}

/** How long ago a time was, in the largest unit. */
export function ago(time: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
