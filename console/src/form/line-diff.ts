import { diffArrays } from 'diff';

/** A line of a text that was changed. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Above this number of changed lines the text is shown as replaced: a comparison would take seconds. */
const MAX_CHANGES = 1_500;

/** The removed, added and unchanged lines of a text. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const parts = diffArrays(old, now, { maxEditLength: MAX_CHANGES });
  if (parts === undefined) return [...signed('-', old), ...signed('+', now)];
  return parts.flatMap(({ value, added, removed }) => signed(added ? '+' : removed ? '-' : ' ', value));
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function signed(sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign, text }));
}
