import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import { TimeAgo } from '../format/time-ago.tsx';
import type { Account } from './account-query.ts';

const INDICATORS: Readonly<Record<Account['state'], { type: StatusIndicatorProps.Type; text: string }>> = {
  not_linked: { type: 'not-started', text: 'Not linked' },
  starting: { type: 'in-progress', text: 'Starting' },
  awaiting_user: { type: 'pending', text: 'Waiting for you' },
  linked: { type: 'success', text: 'Linked' },
  failed: { type: 'error', text: 'Failed' },
  cancelled: { type: 'stopped', text: 'Cancelled' },
  expired: { type: 'warning', text: 'Code expired' },
};

/** Whether an account is linked, and the state of its newest login. */
export function LinkState({ account }: { account: Account }) {
  const indicator = INDICATORS[account.state];
  return (
    <KeyValuePairs
      columns={3}
      items={[
        {
          label: 'Login',
          value: (
            <span aria-live="polite">
              <StatusIndicator type={indicator.type}>{indicator.text}</StatusIndicator>
            </span>
          ),
        },
        { label: 'Account for jobs', value: account.logged_in ? (account.account ?? 'The linked account') : 'None' },
        { label: 'Changed', value: account.state === 'not_linked' ? '-' : <TimeAgo at={account.updated_at} /> },
      ]}
    />
  );
}
