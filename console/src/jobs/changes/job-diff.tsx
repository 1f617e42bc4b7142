import Button from '@cloudscape-design/components/button';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useNarrowScreen } from '../../browser/narrow-screen.ts';
import { sizeText } from '../../format/size-text.ts';
import { PageError } from '../../page/page-error.tsx';
import type { Job } from '../queries/job-query.ts';
import { TextBlock } from '../text/text-block.tsx';
import { type DiffLayout, storeDiffLayout, storedDiffLayout } from './diff-layout.ts';
import { FileList } from './file-list.tsx';
import { FileSection } from './file-section.tsx';
import { openAtFirst } from './open-at-first.ts';
import { parseChanges } from './parse-changes.ts';
import { diffQuery, MAX_SHOWN_BYTES } from './read-diff.ts';
import './job-diff.css';

/** Files shown initially and per "Show more". */
const FILES_PER_STEP = 100;
const LAYOUTS = [
  { id: 'inline', text: 'Inline' },
  { id: 'side-by-side', text: 'Side by side' },
] as const;

/** What a job changed, file by file. */
export function JobDiff({ job, changes }: { job: Job; changes: Schemas['RepositoryChanges'] }) {
  const diff = useQuery(diffQuery(job));
  const files = useMemo(() => diff.data && parseChanges(diff.data.text, diff.data), [diff.data]);
  const atFirst = useMemo(() => openAtFirst(files ?? []), [files]);
  const [toggled, setToggled] = useState<ReadonlyMap<number, boolean>>(new Map());
  const [count, setCount] = useState(FILES_PER_STEP);
  const [stored, setStored] = useState(storedDiffLayout);
  const isNarrow = useNarrowScreen();
  if (diff.error && !diff.data) {
    return (
      <SpaceBetween size="m">
        <PageError error={diff.error} what="The diff" retry={() => void diff.refetch()} />
        <TextBlock title="Changed files" text={changes.stat} none="No files were changed." />
      </SpaceBetween>
    );
  }
  if (!diff.data || !files) return <Spinner />;
  const toggle = (at: number, isOpen: boolean) => setToggled(new Map(toggled).set(at, isOpen));
  const shown = files.slice(0, count);
  const choose = (layout: DiffLayout) => {
    storeDiffLayout(layout);
    setStored(layout);
  };
  return (
    <SpaceBetween size="s">
      {diff.data.isCut && (
        <StatusIndicator type="warning">
          {`The first ${sizeText(MAX_SHOWN_BYTES)} of the diff are shown: ${files.length.toLocaleString('en')} of ` +
            `${changes.files.toLocaleString('en')} files. Download the diff to read the rest.`}
        </StatusIndicator>
      )}
      {!isNarrow && (
        <SegmentedControl
          label="Layout"
          selectedId={stored}
          options={LAYOUTS}
          onChange={({ detail }) => choose(LAYOUTS.find(({ id }) => id === detail.selectedId)?.id ?? 'inline')}
        />
      )}
      {shown.length > 1 && <FileList files={shown} idOf={idOf} onFollow={(at) => toggle(at, true)} />}
      {shown.map((file, at) => (
        <FileSection
          key={idOf(at)}
          id={idOf(at)}
          file={file}
          layout={isNarrow ? 'inline' : stored}
          isOpen={toggled.get(at) ?? atFirst.has(at)}
          onToggle={(isOpen) => toggle(at, isOpen)}
        />
      ))}
      {files.length > count && (
        <Button onClick={() => setCount(count + FILES_PER_STEP)}>
          Show {Math.min(FILES_PER_STEP, files.length - count)} more files of {files.length - count}
        </Button>
      )}
    </SpaceBetween>
  );
}

const idOf = (at: number) => `changed-file-${at + 1}`;
