import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from '../api/session.ts';
import { setSessionOver } from '../api/session-over.ts';

/** Poll interval (ms) for a new session. */
const POLL_INTERVAL_MS = 2_000;

/** Asks the user to sign in again in another tab, so that no input is lost. Closes once that is done. */
export function SessionOverDialog() {
  const client = useQueryClient();
  useEffect(() => {
    const poll = async () => {
      await client.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false });
      setSessionOver(false);
      await client.invalidateQueries();
    };
    const timer = setInterval(() => {
      // Still signed out: the dialog stays.
      if (document.visibilityState === 'visible') poll().catch(() => undefined);
    }, POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [client]);
  return (
    <Modal
      visible
      header="Your session has ended"
      closeAriaLabel="Close"
      // For example to copy something. The next rejected request opens the dialog again.
      onDismiss={() => setSessionOver(false)}
      footer={
        <Box float="right">
          <Button
            variant="primary"
            href="/auth/sign-in?return_to=%2Fsigned-in"
            target="_blank"
            iconName="external"
            iconAlign="right"
          >
            Sign in again
          </Button>
        </Box>
      }
    >
      It expired or was ended. Sign in again in another tab, then return to this page. Your input is kept.
    </Modal>
  );
}
