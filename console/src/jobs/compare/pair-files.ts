import type { FileChange } from '../changes/parse-changes.ts';

/** A path that one or both sides changed. */
export interface FilePair {
  readonly path: string;
  readonly a: FileChange | undefined;
  readonly b: FileChange | undefined;
  /** Whether both made the same change, wherever they began. */
  readonly isSame: boolean;
}

/** The files of two diffs, by path. */
export function pairFiles(a: readonly FileChange[], b: readonly FileChange[]): FilePair[] {
  const [ofA, ofB] = [byPath(a), byPath(b)];
  return [...new Set([...ofA.keys(), ...ofB.keys()])].toSorted().map((path) => {
    const [one, other] = [ofA.get(path), ofB.get(path)];
    const isSame = one !== undefined && other !== undefined && changeOf(one) === changeOf(other);
    return { path, a: one, b: other, isSame };
  });
}

function byPath(files: readonly FileChange[]): Map<string, FileChange> {
  return new Map(files.map((file) => [file.path, file]));
}

/** A diff without the line that names the blobs: it differs where only untouched lines do. Of a binary file it is kept. */
function changeOf({ diff, isBinary }: FileChange): string {
  return isBinary ? diff : diff.replace(/^index .*\n/m, '');
}

/** How many changed lines are unfolded at first. */
const MAX_OPEN_LINES = 400;

/** The paths that are unfolded at first: those that differ, as far as they are short. */
export function pairsOpenAtFirst(pairs: readonly FilePair[]): ReadonlySet<string> {
  const open = new Set<string>();
  let lines = 0;
  for (const { path, a, b, isSame } of pairs) {
    const more = linesOf(a) + linesOf(b);
    if (isSame || lines + more > MAX_OPEN_LINES) continue;
    lines += more;
    open.add(path);
  }
  return open;
}

function linesOf(file: FileChange | undefined): number {
  return file?.parts?.reduce((sum, { lines }) => sum + lines.length, 0) ?? 0;
}
