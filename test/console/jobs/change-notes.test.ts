import { expect, it } from 'vitest';
import { changeNotes, lineCounts } from '../../../console/src/jobs/changes/change-notes.ts';
import type { FileChange } from '../../../console/src/jobs/changes/parse-changes.ts';

const CHANGE: FileChange = {
  path: 'a',
  action: 'modified',
  insertions: 1,
  deletions: 0,
  isBinary: false,
  parts: [],
  diff: '',
};

it.for([
  ['lines only', {}, []],
  ['a new file', { action: 'added', mode: '100644' }, ['New file']],
  ['a new program', { action: 'added', mode: '100755' }, ['New file', 'Executable']],
  ['a new link', { action: 'added', mode: '120000' }, ['New symbolic link']],
  ['a new submodule', { action: 'added', mode: '160000' }, ['New submodule']],
  ['a deleted file', { action: 'deleted', previousMode: '100755' }, ['Deleted file']],
  ['a deleted link', { action: 'deleted', previousMode: '120000' }, ['Deleted symbolic link']],
  ['a renamed file', { action: 'renamed', previousPath: 'b' }, ['Renamed from b']],
  ['a copied file', { action: 'copied', previousPath: 'b' }, ['Copied from b']],
  ['a mode', { previousMode: '100644', mode: '100755' }, ['Mode changed from 100644 to 100755']],
  ['a binary file', { isBinary: true }, ['Binary file']],
  ['an unknown form', { parts: undefined }, ['Not readable as a diff']],
] as const)('notes about %s', ([, changed, notes]) => {
  expect(changeNotes({ ...CHANGE, ...changed } as FileChange)).toEqual(notes);
});

it('lines are counted where any changed', () => {
  expect(lineCounts({ insertions: 0, deletions: 0 })).toEqual([]);
  expect(lineCounts({ insertions: 1_200, deletions: 0 })).toEqual(['+1,200 −0']);
  expect(lineCounts({ insertions: 0, deletions: 3 })).toEqual(['+0 −3']);
});
