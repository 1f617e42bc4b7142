import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import { switchAbsoluteTimes, useAbsoluteTimes } from '../../format/time-preference.ts';
import { COLUMN_IDS, COLUMN_LABELS, type ColumnChoice, type ColumnId } from './column-choice.ts';

/** The columns of the list and the format of times. Each choice applies immediately. */
export function SettingsDialog({ columns, onDismiss }: { columns: ColumnChoice; onDismiss: () => void }) {
  const isAbsolute = useAbsoluteTimes();
  const { shown, choose } = columns;
  const set = (id: ColumnId, checked: boolean) =>
    choose(COLUMN_IDS.filter((other) => (other === id ? checked : shown.includes(other))));
  return (
    <Modal
      visible
      header="List settings"
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={() => choose(undefined)}>Reset columns</Button>
            <Button variant="primary" onClick={onDismiss}>
              Close
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="l">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a legend that the design lacks */}
        <div role="group" aria-label="Columns">
          <FormField label="Columns" description="Saved in this browser. The title is always shown." stretch>
            <ColumnLayout columns={2} minColumnWidth={140}>
              {COLUMN_IDS.map((id) => (
                <Checkbox key={id} checked={shown.includes(id)} onChange={({ detail }) => set(id, detail.checked)}>
                  {COLUMN_LABELS[id]}
                </Checkbox>
              ))}
            </ColumnLayout>
          </FormField>
        </div>
        <Toggle
          checked={isAbsolute}
          description="On all pages. Otherwise times are relative, such as 5 min. ago."
          onChange={({ detail }) => switchAbsoluteTimes(detail.checked)}
        >
          Show exact times
        </Toggle>
      </SpaceBetween>
    </Modal>
  );
}
