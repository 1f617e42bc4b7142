import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { TextChange } from '../../form/text-change.tsx';
import { JobsWaitingFor } from '../jobs-waiting-for.tsx';
import type { Effect } from './use-save-entry.ts';

interface ConfirmEntryProps {
  readonly what: 'rule' | 'profile' | 'template';
  readonly name: string;
  readonly isEdit: boolean;
  /** The service's preview of the save. */
  readonly effect: Effect;
  /** Whether the entry was changed after the form was opened. */
  readonly outdated: boolean;
  readonly changes: readonly { readonly label: string; readonly before: string; readonly after: string }[];
  readonly saving: boolean;
  readonly onSave: () => void;
  readonly onDismiss: () => void;
}

/** Shows the changes to an entry before it is saved. */
export function ConfirmEntry(props: ConfirmEntryProps) {
  const { what, name, isEdit, effect, outdated, changes, saving, onSave, onDismiss } = props;
  const action = isEdit ? 'Save' : 'Create';
  return (
    <Modal
      visible
      size="large"
      header={`${action} ${what} ${name}?`}
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDismiss}>Back to editing</Button>
            <Button variant="primary" loading={saving} disabled={effect === 'unchanged'} onClick={onSave}>
              {action} {what}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        {outdated && effect !== 'unchanged' && (
          <Alert type="warning" header="Changed after you opened it">
            Saving overwrites that change with the contents of this form.
          </Alert>
        )}
        <Box>{EFFECTS[effect](what)}</Box>
        {isEdit && effect !== 'unchanged' && what !== 'template' && <JobsWaitingFor what={what} name={name} />}
        {changes.map((change) => (
          <TextChange key={change.label} {...change} />
        ))}
      </SpaceBetween>
    </Modal>
  );
}

const EFFECTS: Readonly<Record<Effect, (what: string) => string>> = {
  created: (what) => `This creates the ${what}. Jobs can use it immediately.`,
  updated: (what) =>
    what === 'template'
      ? 'This writes a new version, for jobs that are created after it. Earlier versions can still be read.'
      : 'Jobs that start after the change use the new version. Running jobs are not affected.',
  unchanged: (what) => `The ${what} is already stored with these values. Saving would change nothing.`,
};
