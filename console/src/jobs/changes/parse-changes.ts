import { parsePatch, type StructuredPatch } from 'diff';

/** A line of a diff; `\` is git's note that a file has no newline at its end. */
export interface ChangedLine {
  readonly sign: ' ' | '-' | '+' | '\\';
  readonly text: string;
  /** The line's number before and after the change, from 1, where it has one. */
  readonly before?: number;
  readonly after?: number;
}

export interface ChangedPart {
  /** Such as `@@ -1,3 +1,4 @@`. */
  readonly heading: string;
  readonly lines: readonly ChangedLine[];
}

export interface FileChange {
  readonly path: string;
  readonly action: 'added' | 'copied' | 'deleted' | 'modified' | 'renamed';
  /** The previous path of a renamed or copied file. */
  readonly previousPath?: string;
  readonly previousMode?: string;
  readonly mode?: string;
  readonly isBinary: boolean;
  readonly insertions: number;
  readonly deletions: number;
  /** Undefined: this part of the diff is incomplete or altered and can only be shown as text. */
  readonly parts?: readonly ChangedPart[];
  /** The file's part of the diff, as git wrote it. */
  readonly diff: string;
}

/**
 * Parses a git diff file by file. A file that can't be parsed, for example after a secret was masked, does not affect
 * the others.
 * @param isCut whether the text is truncated: a last file that may be incomplete is left out unless it is the only one
 */
export function parseChanges(diff: string, { isCut = false } = {}): FileChange[] {
  // Content lines begin with a sign and lines of a binary patch have no spaces, so only a file's header matches.
  const sections = diff.split(/^(?=diff --git )/m).filter((section) => section.startsWith('diff --git '));
  return (isCut && sections.length > 1 ? sections.slice(0, -1) : sections).map(fileChange);
}

function fileChange(diff: string): FileChange {
  const header = diff.split(/^@@ /m, 1)[0] ?? '';
  const patch = parsed(diff) ?? parsed(header);
  const isBinary = /^(?:GIT binary patch$|Binary files )/m.test(header);
  const isWhole = patch !== undefined && (isBinary || patch.hunks.length > 0 || header === diff);
  const parts = isWhole ? (isBinary ? [] : patch.hunks.map(changedPart)) : undefined;
  const lines = parts?.flatMap((part) => part.lines) ?? [];
  const action = actionOf(patch);
  const [before, after] = [pathOf(patch?.oldFileName, 'a/'), pathOf(patch?.newFileName, 'b/')];
  return {
    path: (action === 'deleted' ? before : after) ?? diff.slice('diff --git '.length).split('\n', 1)[0] ?? '',
    action,
    ...((action === 'renamed' || action === 'copied') && before !== undefined && { previousPath: before }),
    ...(patch?.oldMode !== undefined && { previousMode: patch.oldMode }),
    ...(patch?.newMode !== undefined && { mode: patch.newMode }),
    isBinary,
    insertions: lines.filter(({ sign }) => sign === '+').length,
    deletions: lines.filter(({ sign }) => sign === '-').length,
    ...(parts && { parts }),
    diff,
  };
}

/** @returns undefined where the text is not the diff of exactly one file */
function parsed(diff: string): StructuredPatch | undefined {
  try {
    const patches = parsePatch(diff);
    return patches.length === 1 ? patches[0] : undefined;
  } catch {
    return undefined;
  }
}

function actionOf(patch: StructuredPatch | undefined): FileChange['action'] {
  if (patch?.isCreate) return 'added';
  if (patch?.isDelete) return 'deleted';
  if (patch?.isRename) return 'renamed';
  return patch?.isCopy ? 'copied' : 'modified';
}

function pathOf(name: string | undefined, prefix: string): string | undefined {
  if (name === undefined || name === '/dev/null') return undefined;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** A part of a patch with its lines numbered on both sides. */
export function changedPart({
  oldStart,
  oldLines,
  newStart,
  newLines,
  lines,
}: StructuredPatch['hunks'][number]): ChangedPart {
  let [before, after] = [oldStart, newStart];
  return {
    // Git counts from 0 where a side has no line, the parser from 1.
    heading: `@@ -${oldStart - Number(oldLines === 0)},${oldLines} +${newStart - Number(newLines === 0)},${newLines} @@`,
    lines: lines.map((line): ChangedLine => {
      const text = line.slice(1);
      if (line.startsWith('+')) return { sign: '+', text, after: after++ };
      if (line.startsWith('-')) return { sign: '-', text, before: before++ };
      if (line.startsWith('\\')) return { sign: '\\', text: text.trim() };
      return { sign: ' ', text, before: before++, after: after++ };
    }),
  };
}
