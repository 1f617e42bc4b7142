import type { Status } from '../../../../lib/contract/statuses.ts';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';

/** The actions that need confirmation. */
export type AskedAction = 'cancel' | 'kill' | 'retry';

interface ConfirmActionProps {
  readonly action: AskedAction;
  readonly status: Status;
  readonly onConfirm: () => void;
  readonly onDismiss: () => void;
}

const NAMES: Readonly<Record<AskedAction, string>> = {
  cancel: 'Cancel this job',
  kill: 'Kill this job',
  retry: 'Run this job again',
};

/** Asks for confirmation before work is discarded or paid for twice. */
export function ConfirmAction({ action, status, onConfirm, onDismiss }: ConfirmActionProps) {
  return (
    <ConfirmDialog
      action={NAMES[action]}
      keep={action === 'retry' ? 'Keep the result' : 'Keep the job'}
      onConfirm={onConfirm}
      onDismiss={onDismiss}
    >
      {consequence(action, status)}
    </ConfirmDialog>
  );
}

function consequence(action: AskedAction, status: Status): string {
  if (action === 'retry')
    return 'This job has succeeded. Another attempt costs tokens again, and its outcome replaces the state of the job. The result of the earlier attempt is kept.';
  if (status !== 'RUNNING') return 'The job will not run. You can retry it later.';
  if (action === 'kill')
    return 'Its processes are killed immediately, without a chance to clean up. Its output so far is kept.';
  return 'The agent is asked to stop. After ten seconds its processes are killed. Its output so far is kept.';
}
