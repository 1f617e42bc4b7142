import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { CopyButton } from '../text/copy-button.tsx';
import { changeNotes, lineCounts } from './change-notes.ts';
import type { DiffLayout } from './diff-layout.ts';
import { DiffRows } from './diff-rows.tsx';
import type { FileChange } from './parse-changes.ts';
import { visibleText } from './visible-text.ts';
import '../text/job-text.css';

/** Maximum characters shown of a part that is shown as text. */
const MAX_TEXT_LENGTH = 100_000;

interface FileSectionProps {
  readonly id: string;
  readonly file: FileChange;
  readonly layout: DiffLayout;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** One changed file, expandable. */
export function FileSection({ id, file, layout, isOpen, onToggle }: FileSectionProps) {
  const path = visibleText(file.path);
  return (
    <section id={id} className="diff-file" tabIndex={-1} aria-label={path}>
      <ExpandableSection
        variant="container"
        headingTagOverride="h2"
        headerText={<span className="diff-path">{path}</span>}
        headerDescription={[...lineCounts(file), ...changeNotes(file).map(visibleText)].join(' · ')}
        headerActions={
          <SpaceBetween size="xs" direction="horizontal" alignItems="center">
            <CopyButton text={file.path} what={`the path ${path}`} />
            <CopyToClipboard
              textToCopy={file.diff}
              copyButtonText="Copy diff"
              copyButtonAriaLabel={`Copy diff of ${path}`}
              copySuccessText="Copied"
              copyErrorText="Copy failed"
            />
          </SpaceBetween>
        }
        expanded={isOpen}
        onChange={({ detail }) => onToggle(detail.expanded)}
      >
        {isOpen && <FileContent file={file} layout={layout} />}
      </ExpandableSection>
    </section>
  );
}

function FileContent({ file, layout }: Pick<FileSectionProps, 'file' | 'layout'>) {
  const { path, parts, isBinary, action, diff } = file;
  if (isBinary) return <Note>Binary files are not shown. The download includes the file's content.</Note>;
  if (parts === undefined) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      <pre className="job-text" tabIndex={0}>
        {diff.slice(0, MAX_TEXT_LENGTH).split('\n').map(visibleText).join('\n')}
        {diff.length > MAX_TEXT_LENGTH && '\n…'}
      </pre>
    );
  }
  if (parts.length > 0) return <DiffRows path={path} parts={parts} layout={layout} />;
  return <Note>{action === 'added' || action === 'deleted' ? 'The file is empty.' : 'No line changed.'}</Note>;
}

function Note({ children }: { children: string }) {
  return <Box color="text-body-secondary">{children}</Box>;
}
