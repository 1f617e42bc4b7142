import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import './secret-dialog.css';

interface SecretDialogProps {
  readonly header: string;
  /** The kind of secret as used in a sentence: `token`. */
  readonly what: string;
  readonly secret: string;
  /** What the secret is used for. */
  readonly children: ReactNode;
  readonly onDone: () => void;
}

/** Shows a new secret once. */
export function SecretDialog({ header, what, secret, children, onDone }: SecretDialogProps) {
  const [asking, setAsking] = useState(false);
  return (
    <Modal
      visible
      header={header}
      closeAriaLabel="Close"
      // Escape or a click outside the dialog must not lose the secret.
      onDismiss={() => setAsking(true)}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            {asking && <Button onClick={onDone}>Close without saving</Button>}
            <Button variant="primary" onClick={onDone}>
              I have saved it
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <Alert type="warning" statusIconAriaLabel="Warning">
          {asking
            ? `The ${what} can't be shown again after you close this dialog. Have you saved it?`
            : "Copy it now. It won't be shown again."}
        </Alert>
        <code className="secret" data-testid={what}>
          {secret}
        </code>
        <CopyToClipboard
          variant="button"
          textToCopy={secret}
          copyButtonText={`Copy ${what}`}
          copySuccessText="Copied"
          copyErrorText="Copy failed. Select the text and copy it manually."
        />
        <Box variant="small">{children}</Box>
      </SpaceBetween>
    </Modal>
  );
}
