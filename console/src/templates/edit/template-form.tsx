import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { EntryFormPart } from '../../catalog/edit/entry-kind.ts';
import { ChoiceField } from '../../form/choice-field.tsx';
import { RulesField } from '../../jobs/form/rules-field.tsx';
import { SettingsFields } from '../../jobs/form/settings-fields.tsx';
import { WhereFields } from '../../jobs/form/where-fields.tsx';
import { ParametersEditor } from './parameters-editor.tsx';
import type { TemplateFields } from './template-kind.ts';

const ENVIRONMENT = [
  { value: 'no', label: 'No' },
  { value: 'yes', label: 'Yes', description: 'PROMPTQ_PARAM_ and the name in capitals. Needs no placeholder.' },
] as const;

/** The fields of a template: its texts, its parameters, and settings of its jobs. */
export function TemplateForm(part: EntryFormPart<TemplateFields>) {
  const { fields, errors, isEdit, onChange } = part;
  return (
    <SpaceBetween size="m">
      {!isEdit && (
        <FormField
          label="Name"
          description="Jobs refer to the template by this name. It can't be changed later."
          constraintText={`Letters, digits, dots, underscores and hyphens; at most ${LIMITS.catalog.nameLength}.`}
          errorText={errors.name}
        >
          <Input
            autoFocus
            value={fields.name}
            placeholder="upgrade"
            spellcheck={false}
            onChange={({ detail }) => onChange({ name: detail.value })}
          />
        </FormField>
      )}
      <FormField label="Description" description="What it is for." errorText={errors.description} stretch>
        <Input value={fields.description} onChange={({ detail }) => onChange({ description: detail.value })} />
      </FormField>
      <FormField
        label="Prompt"
        description={'{{name}} is replaced by the value of a parameter, and {{"{{"}} by two braces.'}
        stretch
        errorText={errors.prompt}
      >
        <Textarea
          rows={10}
          value={fields.prompt}
          placeholder="Upgrade {{package}} and run the tests."
          onChange={({ detail }) => onChange({ prompt: detail.value })}
        />
      </FormField>
      <ParametersEditor {...part} />
      <FormField
        label="Extra prompt"
        description="Added after the prompt. Can have placeholders."
        stretch
        errorText={errors.extra_prompt}
      >
        <Textarea
          rows={3}
          value={fields.extra_prompt}
          onChange={({ detail }) => onChange({ extra_prompt: detail.value })}
        />
      </FormField>
      <FormField label="Title" description="Of its jobs. Can have placeholders." errorText={errors.title}>
        <Input
          value={fields.title}
          placeholder="Upgrade {{package}}"
          onChange={({ detail }) => onChange({ title: detail.value })}
        />
      </FormField>
      <ChoiceField
        label="Give the values to commands as environment variables"
        description="A profile of the agent shell needs this: it runs the prompt as a script, in which values are refused."
        error={errors.environment}
        value={fields.environment}
        choices={ENVIRONMENT}
        onChange={(environment) => onChange({ environment })}
      />
      <RulesField {...part} />
      <WhereFields {...part} withProject />
      <SettingsFields {...part} />
      <ColumnLayout columns={2}>
        <FormField label="Tags" description="Comma-separated." errorText={errors.tags}>
          <Input value={fields.tags} onChange={({ detail }) => onChange({ tags: detail.value })} />
        </FormField>
      </ColumnLayout>
    </SpaceBetween>
  );
}
