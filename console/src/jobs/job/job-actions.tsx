import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { lazy, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { hasEffect, type JobAction } from '../../../../lib/contract/job-actions.ts';
import { useMayAct } from '../../api/session.ts';
import { type PlainAction, useJobAction } from '../use-job-action.ts';
import type { Job } from './job-query.ts';

const ConfirmAction = lazy(async () => ({ default: (await import('./confirm-action.tsx')).ConfirmAction }));

const BUTTONS: readonly { action: Exclude<JobAction, 'edit'>; text: string; confirm: boolean }[] = [
  { action: 'submit', text: 'Queue it', confirm: false },
  { action: 'retry', text: 'Retry', confirm: false },
  { action: 'cancel', text: 'Cancel job', confirm: true },
  { action: 'kill', text: 'Kill', confirm: true },
];

/** What can be done with a job in its present state. */
export function JobActions({ job }: { job: Job }) {
  const navigate = useNavigate();
  const mayAct = useMayAct();
  const act = useJobAction(job.id);
  const [asking, setAsking] = useState<'cancel' | 'kill'>();
  if (!mayAct) return null;
  const start = (action: PlainAction) => {
    setAsking(undefined);
    act.mutate(action);
  };
  return (
    <SpaceBetween size="xs" direction="horizontal">
      {hasEffect('edit', job.status) && <Button onClick={() => void navigate(`/jobs/${job.id}/edit`)}>Edit</Button>}
      {BUTTONS.filter(({ action }) => hasEffect(action, job.status)).map(({ action, text, confirm }) => (
        <Button
          key={action}
          variant={action === 'submit' ? 'primary' : 'normal'}
          loading={act.isPending && act.variables === action}
          disabled={action === 'cancel' && job.cancel_requested_at !== null}
          onClick={() => (confirm ? setAsking(action as 'cancel' | 'kill') : start(action))}
        >
          {text}
        </Button>
      ))}
      {job.attempt > 0 && (
        <Button
          iconName="refresh"
          loading={act.isPending && act.variables === 'reread-logs'}
          onClick={() => start('reread-logs')}
        >
          Reread output
        </Button>
      )}
      <Button onClick={() => void navigate(`/jobs/new?from=${job.id}`)}>Copy to a new job</Button>
      {asking !== undefined && (
        <Suspense>
          <ConfirmAction
            action={asking}
            running={job.status === 'RUNNING'}
            onConfirm={() => start(asking)}
            onDismiss={() => setAsking(undefined)}
          />
        </Suspense>
      )}
    </SpaceBetween>
  );
}
