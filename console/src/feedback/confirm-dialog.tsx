import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';

interface ConfirmDialogProps {
  /** What is about to be done, such as `Revoke the token`. */
  readonly action: string;
  /** What doing nothing is called. */
  readonly keep?: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onDismiss: () => void;
  /** What comes of it. */
  readonly children: ReactNode;
}

/** Asks before something is done that can't be undone. */
export function ConfirmDialog({ action, keep = 'Cancel', busy, onConfirm, onDismiss, children }: ConfirmDialogProps) {
  return (
    <Modal
      visible
      header={`${action}?`}
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDismiss}>{keep}</Button>
            <Button variant="primary" loading={busy ?? false} onClick={onConfirm}>
              {action}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      {children}
    </Modal>
  );
}
