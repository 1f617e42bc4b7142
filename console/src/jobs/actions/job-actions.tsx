import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import {
  canRetrySession,
  hasEffect,
  isEditable,
  type JobAction,
  type RetryFrom,
} from '../../../../lib/contract/job-actions.ts';
import { isTerminal, STATUSES, type Status } from '../../../../lib/contract/statuses.ts';
import { useMayAct, useMayAdminister } from '../../api/session.ts';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import { isOutputDeleted, type Job } from '../queries/job-query.ts';
import { CONTINUING } from '../thread/continue-box.tsx';
import type { AskedAction } from './confirm-action.tsx';
import { RunAgain } from './run-again.tsx';
import { type PlainAction, useJobAction } from './use-job-action.ts';

const ConfirmAction = lazyPart(() => import('./confirm-action.tsx'), 'ConfirmAction');

const RetryChoice = lazyPart(() => import('./retry-choice.tsx'), 'RetryChoice');

const RebuildRecord = lazyPart(() => import('./rebuild-record.tsx'), 'RebuildRecord');

const DeleteOutput = lazyPart(() => import('./delete-output.tsx'), 'DeleteOutput');

const RemoveJob = lazyPart(() => import('./remove-job.tsx'), 'RemoveJob');

const BUTTONS: readonly { action: Exclude<JobAction, 'edit'>; text: string; asks: readonly Status[] }[] = [
  { action: 'submit', text: 'Queue job', asks: [] },
  { action: 'retry', text: 'Retry', asks: ['SUCCEEDED'] },
  { action: 'cancel', text: 'Cancel job', asks: STATUSES },
  { action: 'kill', text: 'Kill', asks: STATUSES },
];

const REBUILD = {
  id: 'rebuild',
  text: 'Rebuild record',
  secondaryText: 'Corrects usage, session and messages from the stored output.',
};

const RECORD = {
  id: 'record',
  text: 'Download record',
  secondaryText: 'All that is kept of the job, as a zip file.',
};

const DELETE_OUTPUT = {
  id: 'delete-output',
  text: 'Delete output',
  secondaryText: 'Deletes what its attempts wrote. The record of the job stays.',
};

const REMOVE = {
  id: 'remove',
  text: 'Remove job',
  secondaryText: 'Deletes the job with everything that it holds.',
};

/** The actions that the state of a job allows. */
export function JobActions({ job }: { job: Job }) {
  const navigate = useNavigate();
  const mayAct = useMayAct();
  const act = useJobAction(job.id);
  const [asking, setAsking] = useState<AskedAction>();
  const [opened, setOpened] = useState<string>();
  const mayRemove = useMayAdminister() && isTerminal(job.status);
  if (!mayAct) return null;
  const start = (action: PlainAction, from?: RetryFrom) => {
    setAsking(undefined);
    act.mutate({ action, ...(from !== undefined && { from }) });
  };
  const isActing = (action: PlainAction) => act.isPending && act.variables.action === action;
  const hasOutput = job.attempt > 0 && !isOutputDeleted(job);
  const hasSession = hasOutput && canRetrySession(job);
  return (
    <SpaceBetween size="xs" direction="horizontal">
      {job.status === 'SUCCEEDED' && job.turn !== null && (
        <Button variant="primary" onClick={() => void navigate('?tab=conversation', { state: CONTINUING })}>
          Continue
        </Button>
      )}
      {isEditable(job.status) && <Button onClick={() => void navigate(`/jobs/${job.id}/edit`)}>Edit</Button>}
      {isStopped(job) && (
        <Button loading={isActing('submit')} onClick={() => start('submit')}>
          Start anyway
        </Button>
      )}
      {hasSession && (
        <Part>
          <RetryChoice isPending={isActing('retry')} onRetry={(from) => start('retry', from)} />
        </Part>
      )}
      {BUTTONS.filter(({ action }) => hasEffect(action, job.status) && !(hasSession && action === 'retry')).map(
        ({ action, text, asks }) => (
          <Button
            key={action}
            variant={action === 'submit' ? 'primary' : 'normal'}
            loading={isActing(action)}
            disabled={action === 'cancel' && job.cancel_requested_at !== null}
            onClick={() => (action !== 'submit' && asks.includes(job.status) ? setAsking(action) : start(action))}
          >
            {text}
          </Button>
        ),
      )}
      <RunAgain job={job} />
      {(job.attempt > 0 || mayRemove) && (
        <ButtonDropdown
          items={[
            { ...RECORD, href: `/api/v1/jobs/${job.id}/record` },
            ...(hasOutput ? [REBUILD] : []),
            ...(mayRemove && hasOutput ? [DELETE_OUTPUT] : []),
            ...(mayRemove ? [REMOVE] : []),
          ]}
          onItemClick={({ detail }) => setOpened(detail.id)}
        >
          More
        </ButtonDropdown>
      )}
      {opened === REBUILD.id && (
        <Part>
          <RebuildRecord id={job.id} onDismiss={() => setOpened(undefined)} />
        </Part>
      )}
      {opened === DELETE_OUTPUT.id && (
        <Part>
          <DeleteOutput id={job.id} onDismiss={() => setOpened(undefined)} />
        </Part>
      )}
      {opened === REMOVE.id && (
        <Part>
          <RemoveJob id={job.id} onDismiss={() => setOpened(undefined)} />
        </Part>
      )}
      {asking !== undefined && (
        <Part>
          <ConfirmAction
            action={asking}
            status={job.status}
            onConfirm={() => start(asking)}
            onDismiss={() => setAsking(undefined)}
          />
        </Part>
      )}
    </SpaceBetween>
  );
}

/** Whether an earlier turn of its thread ended without success, so that the job starts only on request. */
function isStopped({ status, state_reason }: Job): boolean {
  return status === 'QUEUED' && state_reason.code === 'thread_stopped';
}
