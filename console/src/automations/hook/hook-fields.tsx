import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Checkbox from '@cloudscape-design/components/checkbox';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { type HookFields as Fields, hasHeader, STYLES } from './hook-values.ts';

interface HookFieldsProps {
  readonly hook: Fields;
  readonly errors: Readonly<Record<string, string | undefined>>;
  readonly onChange: (change: Partial<Fields>) => void;
}

/** Who may post to the hook, which deliveries create jobs, and what of them the prompt gets. */
export function HookFields({ hook, errors, onChange }: HookFieldsProps) {
  return (
    <SpaceBetween size="m">
      <Verification hook={hook} errors={errors} onChange={onChange} />
      <Checkbox
        checked={hook.drafts}
        description="What comes in is written by strangers. A person reads each draft and submits it."
        onChange={({ detail }) => onChange({ drafts: detail.checked })}
      >
        Create drafts instead of jobs that start
      </Checkbox>
      <Rows
        label="Filter"
        description="Only deliveries that meet all conditions create jobs."
        error={errors.filter}
        rows={hook.filter}
        none={{ pointer: '', values: '' }}
        most={LIMITS.hooks.conditions}
        columns={[
          { field: 'pointer', label: 'JSON Pointer', placeholder: '/action' },
          { field: 'values', label: 'Is one of, separated by commas', placeholder: 'opened, reopened' },
        ]}
        onChange={(filter) => onChange({ filter })}
      />
      <Rows
        label="Values for the prompt"
        description="The prompt gets these as quoted data. Without any, it gets the whole body."
        error={errors.map}
        rows={hook.map}
        none={{ name: '', pointer: '' }}
        most={LIMITS.hooks.mapped}
        columns={[
          { field: 'name', label: 'Name', placeholder: 'title' },
          { field: 'pointer', label: 'JSON Pointer', placeholder: '/issue/title' },
        ]}
        onChange={(map) => onChange({ map })}
      />
      <ExpandableSection
        headerText="Where the sender writes the id of a delivery"
        defaultExpanded={hook.id_header !== '' || hook.id_pointer !== '' || errors.delivery_id !== undefined}
      >
        <ColumnLayout columns={2}>
          <FormField label="Header with the id" errorText={errors.delivery_id}>
            <Input value={hook.id_header} onChange={({ detail }) => onChange({ id_header: detail.value })} />
          </FormField>
          <FormField label="JSON Pointer to the id">
            <Input value={hook.id_pointer} onChange={({ detail }) => onChange({ id_pointer: detail.value })} />
          </FormField>
        </ColumnLayout>
      </ExpandableSection>
    </SpaceBetween>
  );
}

function Verification({ hook, errors, onChange }: HookFieldsProps) {
  const { style, header, prefix, encoding } = hook;
  return (
    <ColumnLayout columns={2}>
      <FormField label="Sender" errorText={errors.verify}>
        <Select
          selectedOption={STYLES.find(({ value }) => value === style) ?? null}
          options={STYLES}
          onChange={({ detail }) => onChange({ style: detail.selectedOption.value ?? style })}
        />
      </FormField>
      {hasHeader(style) && (
        <FormField label={style === 'hmac' ? 'Header with the signature' : 'Header with the secret'}>
          <Input
            value={header}
            placeholder="X-Signature"
            spellcheck={false}
            onChange={({ detail }) => onChange({ header: detail.value })}
          />
        </FormField>
      )}
      {style === 'hmac' && (
        <FormField label="Before the signature">
          <Input value={prefix} placeholder="sha256=" onChange={({ detail }) => onChange({ prefix: detail.value })} />
        </FormField>
      )}
      {style === 'hmac' && (
        <FormField label="Encoding of the signature">
          <Select
            selectedOption={{ value: encoding, label: encoding }}
            options={[{ value: 'hex' }, { value: 'base64' }]}
            onChange={({ detail }) =>
              onChange({ encoding: detail.selectedOption.value === 'base64' ? 'base64' : 'hex' })
            }
          />
        </FormField>
      )}
    </ColumnLayout>
  );
}

interface RowsProps<Row> {
  readonly label: string;
  readonly description: string;
  readonly error: string | undefined;
  readonly rows: readonly Row[];
  readonly none: Row;
  readonly most: number;
  readonly columns: readonly { readonly field: keyof Row; readonly label: string; readonly placeholder: string }[];
  readonly onChange: (rows: Row[]) => void;
}

/** A list of pairs of texts. */
function Rows<Row extends Record<keyof Row, string>>({ rows, columns, onChange, ...more }: RowsProps<Row>) {
  const { label, description, error, none, most } = more;
  const change = (at: number, field: keyof Row, text: string) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, [field]: text } : row)));
  return (
    <FormField label={label} description={description} errorText={error} stretch>
      <AttributeEditor<Row>
        items={rows}
        addButtonText="Add"
        addButtonVariant="normal"
        removeButtonText="Remove"
        removeButtonAriaLabel={() => `Remove from ${label.toLowerCase()}`}
        disableAddButton={rows.length >= most}
        empty="None."
        onAddButtonClick={() => onChange([...rows, none])}
        onRemoveButtonClick={({ detail }) => onChange(rows.filter((_, at) => at !== detail.itemIndex))}
        definition={columns.map(({ field, label: name, placeholder }) => ({
          label: name,
          control: (row, at) => (
            <Input
              value={row[field]}
              placeholder={placeholder}
              spellcheck={false}
              onChange={({ detail }) => change(at, field, detail.value)}
            />
          ),
        }))}
      />
    </FormField>
  );
}
