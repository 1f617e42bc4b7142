import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';

/** The one time that the secret which calls are signed with is shown. */
export function BindingSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Modal
      visible
      header="Secret of the calls"
      closeAriaLabel="Close; the secret is not shown again"
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
        <Alert type="warning">Copy it now: it is shown this once. The receiver checks signatures with it.</Alert>
        <CopyToClipboard
          variant="inline"
          textToCopy={secret}
          copyButtonAriaLabel="Copy the secret"
          copySuccessText="Copied"
          copyErrorText="The browser refused; select it and copy it by hand"
        />
      </SpaceBetween>
    </Modal>
  );
}
