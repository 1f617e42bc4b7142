import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import { changeNotes, lineCounts } from '../changes/change-notes.ts';
import { DiffRows } from '../changes/diff-rows.tsx';
import type { FileChange } from '../changes/parse-changes.ts';
import { visibleText } from '../changes/visible-text.ts';
import type { FilePair } from './pair-files.ts';

interface DiffSide {
  readonly name: string;
  /** Whether the whole diff was read. Otherwise a file that is not in it may have changed too. */
  readonly isWhole: boolean;
}

interface FilePairSectionProps {
  readonly pair: FilePair;
  readonly a: DiffSide;
  readonly b: DiffSide;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** The changes of both sides to a file, side by side. */
export function FilePairSection({ pair, a, b, isOpen, onToggle }: FilePairSectionProps) {
  const path = visibleText(pair.path);
  return (
    <section className="diff-file" aria-label={path}>
      <ExpandableSection
        headingTagOverride="h3"
        variant="default"
        headerText={<span className="diff-path">{path}</span>}
        headerDescription={verdict(pair, a, b)}
        expanded={isOpen}
        onChange={({ detail }) => onToggle(detail.expanded)}
      >
        {isOpen &&
          (pair.isSame ? (
            <FileSide file={pair.a} path={path} side={{ ...a, name: 'both' }} />
          ) : (
            <div className="compare-columns">
              <FileSide file={pair.a} path={path} side={a} />
              <FileSide file={pair.b} path={path} side={b} />
            </div>
          ))}
      </ExpandableSection>
    </section>
  );
}

/** A description of how the changes to a file compare. */
function verdict({ a: one, b: other, isSame }: FilePair, a: DiffSide, b: DiffSide): string {
  if (isSame) return `= The same change: ${countsOf(one)}`;
  if (one === undefined) return `≠ ${b.name}: ${countsOf(other)} · ${a.name}: ${absenceIn(a)}`;
  if (other === undefined) return `≠ ${a.name}: ${countsOf(one)} · ${b.name}: ${absenceIn(b)}`;
  return `≠ ${a.name}: ${countsOf(one)} · ${b.name}: ${countsOf(other)}`;
}

function absenceIn({ isWhole }: DiffSide): string {
  return isWhole ? 'not changed' : 'not in the compared part';
}

function countsOf(file: FileChange | undefined): string {
  if (file === undefined) return '';
  return [...lineCounts(file), ...changeNotes(file).map(visibleText)].join(', ') || 'no line changed';
}

function FileSide({ file, path, side }: { file: FileChange | undefined; path: string; side: DiffSide }) {
  return (
    <div>
      {side.name !== 'both' && (
        <Box variant="h4" padding={{ bottom: 'xxs' }}>
          {side.name}
        </Box>
      )}
      <FileContent file={file} label={`${path}, ${side.name}`} absence={absenceIn(side)} />
    </div>
  );
}

function FileContent({ file, label, absence }: { file: FileChange | undefined; label: string; absence: string }) {
  if (file?.parts && file.parts.length > 0) return <DiffRows path={label} parts={file.parts} layout="inline" />;
  return <Box color="text-body-secondary">{contentText(file, absence)}</Box>;
}

function contentText(file: FileChange | undefined, absence: string): string {
  if (file === undefined) return `${absence.charAt(0).toUpperCase()}${absence.slice(1)}.`;
  if (file.isBinary) return 'Binary files are not shown.';
  if (file.parts === undefined) return 'This part of the diff is not readable.';
  return 'No line changed.';
}
