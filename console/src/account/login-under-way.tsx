import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import type { Account } from './account-query.ts';
import { Countdown } from './countdown.tsx';
import './login-under-way.css';

interface LoginUnderWayProps {
  readonly account: Account;
  readonly busy: boolean;
  readonly onCancel: () => void;
}

/** The one-time code and where to enter it, or that it is on its way. */
export function LoginUnderWay({ account, busy, onCancel }: LoginUnderWayProps) {
  const { user_code, verification_uri, expires_at } = account;
  return (
    <SpaceBetween size="m">
      {user_code === undefined || verification_uri === undefined ? (
        <Box color="text-body-secondary">
          <Spinner /> A worker asks the vendor for a one-time code. With no worker running, starting one takes up to two
          minutes.
        </Box>
      ) : (
        <SpaceBetween size="m">
          <Box>
            Open the vendor's page, sign in there, and enter this code. Only enter a code that you asked for yourself.
          </Box>
          <div className="one-time-code">
            <output aria-label="One-time code">{user_code}</output>
            <CopyToClipboard
              variant="icon"
              textToCopy={user_code}
              copyButtonAriaLabel="Copy the code"
              copySuccessText="Copied"
              copyErrorText="The browser refused; copy it by hand"
            />
          </div>
          {expires_at !== undefined && <Countdown until={expires_at} />}
          <Button variant="primary" iconName="external" iconAlign="right" href={verification_uri} target="_blank">
            Open the vendor's page
          </Button>
        </SpaceBetween>
      )}
      <Button loading={busy} onClick={onCancel}>
        Cancel the login
      </Button>
    </SpaceBetween>
  );
}
