import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { ConfirmDialog } from '../feedback/confirm-dialog.tsx';
import type { Account } from './account-query.ts';

interface StartLoginProps {
  readonly account: Account;
  readonly busy: boolean;
  readonly onStart: () => void;
  readonly onUnlink: () => void;
}

/** The actions while no login is in progress, and why the last login failed. */
export function StartLogin({ account, busy, onStart, onUnlink }: StartLoginProps) {
  const [asking, setAsking] = useState(false);
  return (
    <SpaceBetween size="m">
      <Hint account={account} />
      <SpaceBetween size="xs" direction="horizontal">
        <Button variant={account.logged_in ? 'normal' : 'primary'} loading={busy} onClick={onStart}>
          {account.logged_in ? 'Link another account' : 'Link an account'}
        </Button>
        {account.logged_in && <Button onClick={() => setAsking(true)}>Unlink</Button>}
      </SpaceBetween>
      {asking && (
        <ConfirmDialog
          action="Unlink account"
          keep="Cancel"
          onDismiss={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            onUnlink();
          }}
        >
          New attempts no longer receive the login. Jobs that need it wait until an account is linked again. The next
          worker revokes the login at the vendor and deletes it.
        </ConfirmDialog>
      )}
    </SpaceBetween>
  );
}

function Hint({ account }: { account: Account }) {
  switch (account.state) {
    case 'failed':
      return (
        <Alert type="error" header="Login failed">
          {account.error ?? 'The vendor gave no reason.'} If device codes are disabled for the account, enable them in
          ChatGPT under Settings, Security (in a workspace, an admin does this), then start again.
        </Alert>
      );
    case 'expired':
      return <Alert type="warning">The code was not entered in time. Start again to get a new one.</Alert>;
    case 'cancelled':
      return <Alert type="info">The login was cancelled. Nothing changed at the vendor.</Alert>;
    case 'not_linked':
      return (
        <Alert type="info" header="No account is linked">
          Jobs with a codex profile that need an account wait, and continue automatically once one is linked.
        </Alert>
      );
    default:
      return null;
  }
}
