import type { FileChange } from '../changes/parse-changes.ts';

/** A path that one or both sides changed. */
export interface FilePair {
  readonly path: string;
  readonly a: FileChange | undefined;
  readonly b: FileChange | undefined;
  /** Whether both made the same change, even if their files differ elsewhere. */
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

/** A diff without its index line, which differs even if only unchanged lines do. A binary file's is kept. */
function changeOf({ diff, isBinary }: FileChange): string {
  return isBinary ? diff : diff.replace(/^index .*\n/m, '');
}

/** Maximum changed lines expanded initially. */
const MAX_OPEN_LINES = 400;

/** The paths that are expanded initially: different ones, up to the line limit. */
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
