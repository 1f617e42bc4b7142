/** A line of a text that was changed. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Above this number of line pairs, the middle is shown as replaced: a full comparison would take seconds. */
const MAX_PAIRS = 4_000_000;

/** The removed, added and unchanged lines of a text. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [
    ...signed(' ', old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...signed(' ', old.slice(old.length - tail)),
  ];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function signed(sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign, text }));
}

/** Compares by the longest common subsequence of lines. */
function middle(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length * now.length > MAX_PAIRS) return [...signed('-', old), ...signed('+', now)];
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const [removed = '', added = ''] = [old[row], now[column]];
    if (row < old.length && column < now.length && removed === added) {
      lines.push({ sign: ' ', text: removed });
      row += 1;
      column += 1;
    } else if (column >= now.length || (row < old.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ sign: '-', text: removed });
      row += 1;
    } else {
      lines.push({ sign: '+', text: added });
      column += 1;
    }
  }
  return lines;
}
