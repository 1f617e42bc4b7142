import { changeNotes, lineCounts } from './change-notes.ts';
import type { FileChange } from './parse-changes.ts';
import { visibleText } from './visible-text.ts';

interface FileListProps {
  readonly files: readonly FileChange[];
  /** The id of a file's section, by the index of the file. */
  readonly idOf: (at: number) => string;
  readonly onFollow: (at: number) => void;
}

/** The changed files, each a link to its section. */
export function FileList({ files, idOf, onFollow }: FileListProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <ul className="diff-files" aria-label="Changed files" tabIndex={0}>
      {files.map((file, at) => (
        <li key={idOf(at)}>
          <a className="job-link" href={`#${idOf(at)}`} onClick={() => onFollow(at)}>
            {visibleText(file.path)}
          </a>
          <span>{[...lineCounts(file), ...changeNotes(file).map(visibleText)].join(' · ')}</span>
        </li>
      ))}
    </ul>
  );
}
