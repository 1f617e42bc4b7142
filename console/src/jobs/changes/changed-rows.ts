import type { ChangedLine, ChangedPart } from './parse-changes.ts';

/** A row of the two columns. An unchanged line is on both sides. */
type ChangedRow =
  | { readonly heading: string }
  | { readonly before: ChangedLine | undefined; readonly after: ChangedLine | undefined };

/** One row for each line, as in the diff. */
export function inlineRows(parts: readonly ChangedPart[]): ({ readonly heading: string } | ChangedLine)[] {
  return parts.flatMap(({ heading, lines }) => [{ heading }, ...lines]);
}

/** Removed lines beside their replacements. */
export function sideBySideRows(parts: readonly ChangedPart[]): ChangedRow[] {
  return parts.flatMap(({ heading, lines }) => [{ heading }, ...paired(lines)]);
}

function paired(lines: readonly ChangedLine[]): ChangedRow[] {
  const rows: ChangedRow[] = [];
  let [removed, added]: [ChangedLine[], ChangedLine[]] = [[], []];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      rows.push({ before: removed[at], after: added[at] });
    [removed, added] = [[], []];
  };
  let last: ChangedLine['sign'] = ' ';
  for (const line of lines) {
    // Git's note about a missing newline belongs to the line above it.
    const sign: ChangedLine['sign'] = line.sign === '\\' ? last : line.sign;
    last = sign;
    if (sign === '-') removed.push(line);
    else if (sign === '+') added.push(line);
    else {
      flush();
      rows.push({ before: line, after: line });
    }
  }
  flush();
  return rows;
}
