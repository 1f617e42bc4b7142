import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { BulkAction } from './bulk-effect.ts';
import type { SelectedJob } from './read-again.ts';

const EFFECTS: Readonly<Record<BulkAction, string>> = {
  cancel:
    'Waiting jobs will not run. Running agents are asked to stop, and killed after ten seconds. Output so far is kept.',
  retry: 'Each job gets new attempts and keeps its ID. Earlier attempts and their output are kept.',
  kill: 'Their processes are killed immediately, without a chance to clean up. Output so far is kept.',
};

const PARTICIPLES: Readonly<Record<BulkAction, string>> = {
  cancel: 'cancelled',
  retry: 'retried',
  kill: 'killed',
};

interface BulkNotesProps {
  readonly action: BulkAction;
  /** The selected jobs as they are now. */
  readonly jobs: readonly SelectedJob[];
  /** Those that the action affects. */
  readonly hit: readonly SelectedJob[];
}

/** What an action does if it is confirmed, and what has changed since the jobs were selected. */
export function BulkNotes({ action, jobs, hit }: BulkNotesProps) {
  const changed = jobs.filter(({ before, isDeleted }) => before !== undefined || isDeleted).length;
  const repeated = action === 'retry' ? hit.filter(({ job }) => job.status === 'SUCCEEDED').length : 0;
  return (
    <SpaceBetween size="s">
      <div>
        {hit.length === 0 && `None of these jobs can be ${PARTICIPLES[action]}. `}
        {hit.length > 0 && hit.length < jobs.length && `This affects ${hit.length} of ${jobs.length} jobs. `}
        {changed > 0 && `${counted(changed)} changed after the selection. `}
        {hit.length > 0 && EFFECTS[action]}
      </div>
      {repeated > 0 && (
        <Alert type="warning">
          {`${repeated === 1 ? '1 job has' : `${repeated} jobs have`} succeeded. Another attempt costs tokens again, and its outcome replaces the state of the job. The result of the earlier attempt is kept.`}
        </Alert>
      )}
    </SpaceBetween>
  );
}

/** While the selected jobs are read again, and if that fails. */
export function ReadingNote({ error, retry }: { readonly error: Error | null; readonly retry: () => void }) {
  if (error === null) return <Box>Reading the current state of the jobs</Box>;
  return (
    <Alert
      type="error"
      header="Could not read the current state of the jobs"
      action={<Button onClick={retry}>Try again</Button>}
    >
      {error.message}
    </Alert>
  );
}

/** `1 job`, `2 jobs` */
export function counted(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`;
}
