import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { FieldChange as Change } from '../form/job-fields.ts';
import { FieldChange } from './field-change.tsx';

interface ConfirmEditProps {
  readonly changes: readonly Change[];
  readonly saving: boolean;
  readonly onSave: () => void;
  readonly onDismiss: () => void;
}

/** Shows the changes of an edit before it is saved. */
export function ConfirmEdit({ changes, saving, onSave, onDismiss }: ConfirmEditProps) {
  return (
    <Modal
      visible
      size="large"
      header="Save these changes?"
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDismiss}>Continue editing</Button>
            <Button variant="primary" loading={saving} onClick={onSave}>
              Save
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        {changes.map((change) => (
          <FieldChange key={change.name} change={change} />
        ))}
      </SpaceBetween>
    </Modal>
  );
}
