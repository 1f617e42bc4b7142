import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';

interface NameFiltersProps {
  readonly taken: readonly string[];
  readonly onSave: (name: string) => void;
  readonly onDismiss: () => void;
}

/** Asks for a name for the current filters. */
export function NameFilters({ taken, onSave, onDismiss }: NameFiltersProps) {
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const save = () => name !== '' && onSave(name);
  return (
    <Modal
      visible
      header="Save these filters"
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDismiss}>Close</Button>
            <Button variant="primary" disabled={name === ''} onClick={save}>
              Save
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <FormField
        label="Name"
        description="Saved in this browser."
        constraintText={taken.includes(name) ? 'Replaces the saved filters with this name.' : undefined}
      >
        <Input
          autoFocus
          value={typed}
          onChange={({ detail }) => setTyped(detail.value.slice(0, 60))}
          onKeyDown={({ detail }) => detail.key === 'Enter' && save()}
        />
      </FormField>
    </Modal>
  );
}
