import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Box from '@cloudscape-design/components/box';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { EntryFormPart } from './entry-kind.ts';
import type { ProfileFields, Variable } from './profile-kind.ts';

const TEXT = { value: 'text', label: 'Text' };
const SECRET = { value: 'secret', label: 'Secret' };

/** The environment variables of a profile, each plain text or the name of a secret. */
export function VariablesField({ fields, errors, onChange }: EntryFormPart<ProfileFields>) {
  const { env } = fields;
  const change = (at: number, changed: Partial<Variable>) =>
    onChange({ env: env.map((row, index) => (index === at ? { ...row, ...changed } : row)) });
  return (
    <SpaceBetween size="xs">
      <Header
        variant="h3"
        headingTagOverride="h2"
        description="Added to the agent's environment. Everyone who can read profiles can read text values. Of a secret, only the name is visible."
      >
        Environment variables
      </Header>
      {errors.env !== undefined && <Box color="text-status-error">{errors.env}</Box>}
      <AttributeEditor<Variable>
        items={env}
        addButtonText="Add variable"
        removeButtonText="Remove"
        removeButtonAriaLabel={({ name }) => `Remove ${name || 'the variable'}`}
        disableAddButton={env.length >= LIMITS.catalog.env}
        empty="No variables."
        onAddButtonClick={() => onChange({ env: [...env, { name: '', isSecret: false, value: '' }] })}
        onRemoveButtonClick={({ detail }) => onChange({ env: env.filter((_, at) => at !== detail.itemIndex) })}
        definition={[
          {
            label: 'Variable',
            errorText: (_, at) => errors[`env.${at}`],
            control: ({ name }, at) => (
              <Input
                value={name}
                placeholder="STAGE"
                spellcheck={false}
                onChange={({ detail }) => change(at, { name: detail.value })}
              />
            ),
          },
          {
            label: 'Kind',
            control: ({ isSecret }, at) => (
              <Select
                selectedOption={isSecret ? SECRET : TEXT}
                options={[TEXT, SECRET]}
                onChange={({ detail }) => change(at, { isSecret: detail.selectedOption.value === SECRET.value })}
              />
            ),
          },
          {
            label: 'Value or name of the secret',
            control: ({ value, isSecret }, at) => (
              <Input
                value={value}
                placeholder={isSecret ? 'Name of a stored secret' : 'Value'}
                spellcheck={false}
                autoComplete={false}
                onChange={({ detail }) => change(at, { value: detail.value })}
              />
            ),
          },
        ]}
      />
    </SpaceBetween>
  );
}
