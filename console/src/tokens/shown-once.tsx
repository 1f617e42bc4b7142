import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { CreatedToken } from './token-queries.ts';
import './shown-once.css';

/** The one time that a token is shown. */
export function ShownOnce({ token, onDone }: { token: CreatedToken; onDone: () => void }) {
  return (
    <Modal
      visible
      header={`Token “${token.name}”`}
      closeAriaLabel="Close; the token is not shown again"
      // A slip beside the dialog must not lose the token.
      onDismiss={({ detail }) => detail.reason !== 'overlay' && onDone()}
      footer={
        <Box float="right">
          <Button variant="primary" onClick={onDone}>
            I have kept it
          </Button>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <Alert type="warning" statusIconAriaLabel="Warning">
          Copy it now. It is shown this once, and kept nowhere.
        </Alert>
        <code className="shown-once" data-testid="token">
          {token.token}
        </code>
        <CopyToClipboard
          variant="button"
          textToCopy={token.token}
          copyButtonText="Copy the token"
          copySuccessText="Copied"
          copyErrorText="The browser refused; select it and copy it by hand"
        />
        <Box variant="small">
          Send it as <code>Authorization: Bearer …</code>. It may: {token.scopes.join(', ')}.
        </Box>
      </SpaceBetween>
    </Modal>
  );
}
