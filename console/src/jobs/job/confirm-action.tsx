import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';

interface ConfirmActionProps {
  readonly action: 'cancel' | 'kill';
  readonly running: boolean;
  readonly onConfirm: () => void;
  readonly onDismiss: () => void;
}

/** Asks before work is thrown away. */
export function ConfirmAction({ action, running, onConfirm, onDismiss }: ConfirmActionProps) {
  const name = action === 'cancel' ? 'Cancel this job' : 'Kill this job';
  return (
    <Modal
      visible
      header={`${name}?`}
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDismiss}>Keep it</Button>
            <Button variant="primary" onClick={onConfirm}>
              {name}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      {consequence(action, running)}
    </Modal>
  );
}

function consequence(action: 'cancel' | 'kill', running: boolean): string {
  if (!running) return 'It will not run. You can retry it later.';
  if (action === 'kill')
    return 'Its processes are ended at once, without a chance to tidy up. Its output so far is kept.';
  return 'The agent is asked to stop and has ten seconds to do so; then its processes are ended. Its output so far is kept.';
}
