import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { sizeText } from '../../format/size-text.ts';
import { PageError } from '../../page/page-error.tsx';
import { parseChanges } from '../changes/parse-changes.ts';
import { diffQuery, MAX_SHOWN_BYTES } from '../changes/read-diff.ts';
import { FilePairSection } from './file-pair-section.tsx';
import { pairFiles, pairsOpenAtFirst } from './pair-files.ts';
import type { Side } from './side.ts';
import '../changes/job-diff.css';

/** Files shown initially and per "Show more". */
const FILES_PER_STEP = 50;

/** What two attempts changed in their project's repository, file by file. */
export function ComparedChanges({ a, b }: { a: Side; b: Side }) {
  const [ofA, ofB] = [useDiff(a), useDiff(b)];
  const pairs = useMemo(() => pairFiles(ofA.files ?? [], ofB.files ?? []), [ofA.files, ofB.files]);
  const atFirst = useMemo(() => pairsOpenAtFirst(pairs), [pairs]);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [count, setCount] = useState(FILES_PER_STEP);
  if (!a.result?.changes && !b.result?.changes) return null;
  const differing = pairs.filter(({ isSame }) => !isSame).length;
  const sides = [
    { side: a, diff: ofA },
    { side: b, diff: ofB },
  ];
  const isReady = sides.every(({ diff }) => diff.files !== undefined);
  return (
    <Container
      header={
        <Header variant="h2" {...(isReady && { counter: `(${differing} of ${pairs.length} files differ)` })}>
          Changes
        </Header>
      }
    >
      <SpaceBetween size="s">
        {sides.map(({ side, diff }) => (
          <DiffState key={side.name} side={side} diff={diff} />
        ))}
        {isReady &&
          pairs
            .slice(0, count)
            .map((pair) => (
              <FilePairSection
                key={pair.path}
                pair={pair}
                a={{ name: a.name, isWhole: ofA.isWhole }}
                b={{ name: b.name, isWhole: ofB.isWhole }}
                isOpen={toggled.get(pair.path) ?? atFirst.has(pair.path)}
                onToggle={(isOpen) => setToggled(new Map(toggled).set(pair.path, isOpen))}
              />
            ))}
        {isReady && pairs.length > count && (
          <Button onClick={() => setCount(count + FILES_PER_STEP)}>
            {`Show ${Math.min(FILES_PER_STEP, pairs.length - count)} more files of ${pairs.length - count}`}
          </Button>
        )}
      </SpaceBetween>
    </Container>
  );
}

type Diff = ReturnType<typeof useDiff>;

/** @returns files: undefined until the diff is loaded; empty if the attempt changed nothing */
function useDiff({ job, attempt, result }: Side) {
  const changes = result?.changes;
  const hasDiff = changes != null && changes.files > 0;
  const diff = useQuery({ ...diffQuery(job, attempt), enabled: hasDiff });
  const files = useMemo(
    () => (hasDiff ? diff.data && parseChanges(diff.data.text, diff.data) : []),
    [hasDiff, diff.data],
  );
  const isWhole = !hasDiff || (diff.data?.isCut === false && !changes.truncated);
  return { files, isWhole, changes, error: diff.data ? null : diff.error, retry: () => void diff.refetch() };
}

/** The notes about one side's diff. */
function DiffState({
  side: { name, result },
  diff: { files, isWhole, changes, error, retry },
}: {
  side: Side;
  diff: Diff;
}) {
  if (result === undefined) return <Note>{`${name}: the result is not available.`}</Note>;
  if (changes == null) return <Note>{`${name}: no changes to a repository are recorded.`}</Note>;
  if (changes.files === 0) return <Note>{`${name}: no files were changed.`}</Note>;
  if (error) return <PageError error={error} what={`The diff of ${name}`} retry={retry} />;
  if (files === undefined) return <Spinner />;
  return (
    <>
      <Note>{`${name}: ${changes.files} ${changes.files === 1 ? 'file' : 'files'}, +${changes.insertions} −${changes.deletions}`}</Note>
      {!isWhole && (
        <StatusIndicator type="warning">
          {`${name}: only the beginning of the diff is compared (at most ${sizeText(MAX_SHOWN_BYTES)}), ${files.length} of ${changes.files} files.`}
        </StatusIndicator>
      )}
    </>
  );
}

function Note({ children }: { children: string }) {
  return <Box color="text-body-secondary">{children}</Box>;
}
