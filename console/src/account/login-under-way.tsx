import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useNow } from '../format/time-ago.tsx';
import type { Account } from './account-query.ts';
import './login-under-way.css';

interface LoginUnderWayProps {
  readonly account: Account;
  readonly busy: boolean;
  readonly onCancel: () => void;
}

/** The one-time code and where to enter it, or a spinner until the code arrives. */
export function LoginUnderWay({ account, busy, onCancel }: LoginUnderWayProps) {
  const { user_code, verification_uri, expires_at } = account;
  return (
    <SpaceBetween size="m">
      {user_code === undefined || verification_uri === undefined ? (
        <Box color="text-body-secondary">
          <Spinner /> A worker is requesting a one-time code from the vendor. If no worker is running, starting one
          takes up to two minutes.
        </Box>
      ) : (
        <SpaceBetween size="m">
          <Box>
            Open the vendor's page, sign in, and enter this code. Only enter a code that you requested yourself.
          </Box>
          <div className="one-time-code">
            <output aria-label="One-time code">{user_code}</output>
            <CopyToClipboard
              variant="icon"
              textToCopy={user_code}
              copyButtonAriaLabel="Copy the code"
              copySuccessText="Copied"
              copyErrorText="Copy failed. Copy the code manually."
            />
          </div>
          {expires_at !== undefined && <Countdown until={expires_at} />}
          <Button variant="primary" iconName="external" iconAlign="right" href={verification_uri} target="_blank">
            Open the vendor's page
          </Button>
        </SpaceBetween>
      )}
      <Button loading={busy} onClick={onCancel}>
        Cancel login
      </Button>
    </SpaceBetween>
  );
}

/** Counts down to an expiry, second by second. Not a live region: screen readers would announce every second. */
function Countdown({ until }: { until: string }) {
  useNow();
  const left = Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / 1000));
  const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  return (
    <Box color={left < 60 ? 'text-status-warning' : 'text-body-secondary'}>
      {left === 0 ? 'The code has expired.' : `The code expires in ${clock}.`}
    </Box>
  );
}
