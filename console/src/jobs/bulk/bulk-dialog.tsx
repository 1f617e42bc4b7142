import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button, { type ButtonProps } from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { JobSummary } from '../queries/jobs-query.ts';
import { type BulkAction, skipReason } from './bulk-effect.ts';
import { BulkNotes, counted, ReadingNote } from './bulk-notes.tsx';
import { BulkTable } from './bulk-table.tsx';
import { readAgain, type SelectedJob } from './read-again.ts';
import { type Outcome, runBulk } from './run-bulk.ts';

const VERBS: Readonly<Record<BulkAction, string>> = { cancel: 'Cancel', retry: 'Retry', kill: 'Kill' };
const TITLES: Readonly<Record<BulkAction, string>> = { cancel: 'To cancel', retry: 'To retry', kill: 'To kill' };

interface BulkDialogProps {
  readonly action: BulkAction;
  /** The selected jobs as they were last shown. */
  readonly jobs: readonly JobSummary[];
  /** `acted`: whether any request was sent. */
  readonly onClose: (acted: boolean) => void;
}

/**
 * Reads the selected jobs again and shows which an action affects and which it skips, and why; then the outcome of each
 * job.
 */
export function BulkDialog({ action, jobs: selected, onClose }: BulkDialogProps) {
  const client = useQueryClient();
  const [phase, setPhase] = useState<'asking' | 'acting' | 'done'>('asking');
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const closing = useRef<ButtonProps.Ref>(null);
  const [confirmed, setConfirmed] = useState<readonly SelectedJob[]>();
  const current = useCurrentJobs(selected, confirmed);
  const { jobs } = current;
  const hit = jobs.filter((job) => skipReason(action, job) === undefined);
  const summary = summaryOf([...outcomes.values()]);
  // The focused button is gone by then, and Escape works only with the focus in the dialog.
  useEffect(() => {
    if (phase === 'done') closing.current?.focus();
  }, [phase]);
  const close = () => phase !== 'acting' && onClose(phase === 'done');
  const start = async () => {
    setPhase('acting');
    setConfirmed(jobs);
    await runBulk(
      action,
      hit.map(({ job }) => job.id),
      (id, outcome) => setOutcomes((before) => new Map(before).set(id, outcome)),
    );
    setPhase('done');
    await client.invalidateQueries({ queryKey: ['jobs'] });
  };
  const isNone = current.isRead && hit.length === 0;
  const what = `${VERBS[action]} ${current.isRead ? counted(hit.length) : 'jobs'}`;
  return (
    <Modal
      visible
      size="large"
      header={phase === 'done' ? `${VERBS[action]}: done` : isNone ? `${VERBS[action]} jobs` : `${what}?`}
      closeAriaLabel="Close"
      onDismiss={close}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button ref={closing} disabled={phase === 'acting'} onClick={close}>
              {phase === 'done' ? 'Close' : 'Back'}
            </Button>
            {phase !== 'done' && !isNone && (
              <Button
                variant="primary"
                disabled={!current.isRead}
                loading={phase === 'acting' || current.isReading}
                onClick={() => void start()}
              >
                {what}
              </Button>
            )}
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="s">
        <div aria-live="polite">
          {!current.isRead && <ReadingNote error={current.error} retry={current.retry} />}
          {current.isRead && phase === 'asking' && <BulkNotes action={action} jobs={jobs} hit={hit} />}
          {phase === 'acting' && `${outcomes.size} of ${hit.length} done`}
          {phase === 'done' && <Alert type={summary.type}>{summary.text}</Alert>}
        </div>
        <BulkTable
          title={phase === 'done' ? 'Done' : TITLES[action]}
          jobs={hit}
          heading={phase === 'asking' ? 'Effect' : 'Outcome'}
          effect={({ job }) => <Effect action={action} job={job} outcome={outcomes.get(job.id)} />}
        />
        <BulkTable
          title="Skipped"
          jobs={jobs.filter((job) => !hit.includes(job))}
          heading="Reason"
          effect={(job) => skippedText(action, job)}
        />
      </SpaceBetween>
    </Modal>
  );
}

/** The selected jobs as they are now or, once the user has confirmed the action, as they were then. */
function useCurrentJobs(selected: readonly JobSummary[], confirmed: readonly SelectedJob[] | undefined) {
  const [queryKey] = useState(() => ['selected', crypto.randomUUID()] as const);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey,
    queryFn: async () => await readAgain(selected),
    enabled: confirmed === undefined,
    gcTime: 0,
  });
  const jobs = confirmed ?? (error === null ? data : undefined);
  return {
    jobs: jobs ?? [],
    isRead: jobs !== undefined,
    isReading: jobs === undefined && isFetching,
    error: isFetching ? null : error,
    retry: () => void refetch(),
  };
}

/** `2 jobs accepted, 1 rejected, 1 unknown` */
function summaryOf(outcomes: readonly Outcome[]) {
  const [accepted = 0, rejected = 0, unknown = 0] = (['accepted', 'rejected', 'unknown'] as const).map(
    (type) => outcomes.filter((outcome) => outcome.type === type).length,
  );
  const others = [rejected > 0 && `${rejected} rejected`, unknown > 0 && `${unknown} unknown`];
  return {
    type: accepted === outcomes.length ? 'success' : 'warning',
    text: [`${counted(accepted)} accepted`, ...others.filter((text) => text !== false)].join(', '),
  } as const;
}

interface EffectProps {
  readonly action: BulkAction;
  readonly job: JobSummary;
  readonly outcome: Outcome | undefined;
}

/** What an action will do to a job, and then what it did. */
function Effect({ action, job, outcome }: EffectProps) {
  switch (outcome?.type) {
    case undefined:
      return <>{VERBS[action]}</>;
    case 'accepted':
      return <StatusIndicator>{acceptedText(action, job)}</StatusIndicator>;
    case 'rejected':
      return <StatusIndicator type="error">{outcome?.why}</StatusIndicator>;
    case 'unknown':
      return <StatusIndicator type="warning">{outcome?.why}</StatusIndicator>;
  }
}

/** Only a running job still has to stop. The others have changed once the service responds. */
function acceptedText(action: BulkAction, { status }: JobSummary): string {
  if (status === 'RUNNING') return action === 'kill' ? 'Killing' : 'Stopping';
  return action === 'retry' ? 'Queued' : 'Cancelled';
}

function skippedText(action: BulkAction, job: SelectedJob): string {
  const why = skipReason(action, job) ?? '';
  return why.charAt(0).toUpperCase() + why.slice(1);
}
