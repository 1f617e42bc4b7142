import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';

interface ConfirmDialogProps {
  /** The action, which is also its button's label, such as `Revoke token`. */
  readonly action: string;
  /** The label of the button that dismisses the dialog. */
  readonly keep?: string;
  readonly busy?: boolean;
  /** Whether the action is not possible now; the children say why. */
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
  readonly onDismiss: () => void;
  /** The consequences of the action. */
  readonly children: ReactNode;
}

/** Asks for confirmation before an action that can't be undone. */
export function ConfirmDialog({
  action,
  keep = 'Cancel',
  busy,
  disabled = false,
  onConfirm,
  onDismiss,
  children,
}: ConfirmDialogProps) {
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
            <Button variant="primary" loading={busy ?? false} disabled={disabled} onClick={onConfirm}>
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
