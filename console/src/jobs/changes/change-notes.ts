import type { FileChange } from './parse-changes.ts';

/** Git's file type bits of entries that are not regular files. */
const LINKS: Readonly<Record<string, string>> = { '120': 'symbolic link', '160': 'submodule' };

/** What changed about a file apart from its lines; empty if nothing did. */
export function changeNotes({ action, previousPath, previousMode, mode, isBinary, parts }: FileChange): string[] {
  const kind = LINKS[(mode ?? previousMode ?? '').slice(0, 3)];
  return [
    ...(action === 'added' ? [`New ${kind ?? 'file'}`] : []),
    ...(action === 'deleted' ? [`Deleted ${kind ?? 'file'}`] : []),
    ...(action === 'renamed' ? [`Renamed from ${previousPath}`] : []),
    ...(action === 'copied' ? [`Copied from ${previousPath}`] : []),
    ...(action === 'added' && mode?.endsWith('755') ? ['Executable'] : []),
    ...(mode !== undefined && previousMode !== undefined ? [`Mode changed from ${previousMode} to ${mode}`] : []),
    ...(isBinary ? ['Binary file'] : []),
    ...(parts === undefined ? ['Not readable as a diff'] : []),
  ];
}

/** Such as `+12 −3`; empty if no line changed. */
export function lineCounts({ insertions, deletions }: Pick<FileChange, 'insertions' | 'deletions'>): string[] {
  return insertions + deletions === 0 ? [] : [`+${insertions.toLocaleString('en')} −${deletions.toLocaleString('en')}`];
}
