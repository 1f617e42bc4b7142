import type { FileChange } from './parse-changes.ts';

/** Files with more lines than this are collapsed initially. */
const MAX_OPEN_LINES = 400;
/** Maximum lines expanded initially in total, so that the page opens fast. */
const MAX_LINES_TOGETHER = 2_000;

/** The indexes of the files that are expanded initially. */
export function openAtFirst(files: readonly FileChange[]): ReadonlySet<number> {
  const open = new Set<number>();
  let together = 0;
  for (const [at, { parts }] of files.entries()) {
    const lines = parts?.reduce((sum, part) => sum + part.lines.length, 0) ?? 0;
    if (lines > MAX_OPEN_LINES || together + lines > MAX_LINES_TOGETHER) continue;
    together += lines;
    open.add(at);
  }
  return open;
}
