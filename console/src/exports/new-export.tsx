import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import RadioGroup from '@cloudscape-design/components/radio-group';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type FormEvent, useState } from 'react';
import { EXPORT_KINDS, type ExportFormat, type ExportKind } from '../../../lib/contract/export-kinds.ts';
import { useStartExport } from './export-queries.ts';
import { filterLabel, filtersOf, KIND_WORDS } from './export-words.ts';
import './new-export.css';

/** A condition in the form. */
interface Condition {
  readonly name: string;
  readonly value: string;
}

interface NewExportProps {
  readonly kind: ExportKind;
  /** Conditions to begin with, such as the filters of the list that the form was opened from. */
  readonly conditions: readonly Condition[];
  readonly onDone: () => void;
}

const FORMATS: readonly { readonly value: ExportFormat; readonly label: string; readonly description: string }[] = [
  { value: 'csv', label: 'CSV', description: 'For spreadsheets. A file in JSON Lines is made with it.' },
  { value: 'jsonl', label: 'JSON Lines', description: 'For programs: an object a line.' },
];

/** Starts an export. */
export function NewExport({ kind: first, conditions: given, onDone }: NewExportProps) {
  const start = useStartExport();
  const [kind, setKind] = useState(first);
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [conditions, setConditions] = useState(given);
  const names = filtersOf(kind);
  const known = conditions.filter(({ name }) => names.includes(name));
  const unused = names.filter((name) => !known.some((one) => one.name === name));
  const change = (at: Condition, value: string) =>
    setConditions(conditions.map((one) => (one === at ? { ...one, value } : one)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const filter = Object.fromEntries(
      known.flatMap(({ name, value }) => (value.trim() === '' ? [] : [[name, value.trim()]])),
    );
    start.mutate({ kind, format, filter }, { onSuccess: onDone });
  };
  return (
    <Modal
      visible
      header="New export"
      closeAriaLabel="Close"
      onDismiss={onDone}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDone}>Cancel</Button>
            <Button variant="primary" form="new-export" formAction="submit" loading={start.isPending}>
              Start export
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <form id="new-export" onSubmit={submit}>
        <SpaceBetween size="m">
          {start.error && (
            <Alert type="error" header="The export was not started">
              {start.error.message}
            </Alert>
          )}
          <FormField label="What" description={KIND_WORDS[kind].about}>
            <Select
              selectedOption={{ value: kind, label: KIND_WORDS[kind].label }}
              options={EXPORT_KINDS.map((value) => ({ value, label: KIND_WORDS[value].label }))}
              onChange={({ detail }) =>
                setKind(EXPORT_KINDS.find((one) => one === detail.selectedOption.value) ?? kind)
              }
            />
          </FormField>
          <FormField label="Format">
            <RadioGroup
              value={format}
              items={[...FORMATS]}
              onChange={({ detail }) => setFormat(detail.value === 'jsonl' ? 'jsonl' : 'csv')}
            />
          </FormField>
          {known.map((condition) => (
            <FormField
              key={condition.name}
              label={filterLabel(condition.name)}
              constraintText={condition.name.startsWith('created_') && condition.name !== 'created_by' && TIME}
            >
              <div className="export-condition">
                <Input value={condition.value} onChange={({ detail }) => change(condition, detail.value)} />
                <Button
                  iconName="close"
                  variant="icon"
                  formAction="none"
                  ariaLabel={`Remove the filter ${filterLabel(condition.name)}`}
                  onClick={() => setConditions(conditions.filter((one) => one !== condition))}
                />
              </div>
            </FormField>
          ))}
          <FormField label="Add a filter" description={known.length === 0 ? 'Without filters, all is exported.' : ''}>
            <Select
              selectedOption={null}
              placeholder="Choose what to narrow it by"
              options={unused.map((value) => ({ value, label: filterLabel(value) }))}
              onChange={({ detail }) =>
                setConditions([...conditions, { name: detail.selectedOption.value ?? '', value: '' }])
              }
            />
          </FormField>
        </SpaceBetween>
      </form>
    </Modal>
  );
}

const TIME = 'Such as 2026-11-20T10:41:00Z.';
