import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { AGENTS } from '../../../../lib/contract/agents.ts';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { ChoiceField } from '../../form/choice-field.tsx';
import { ModelField, RetriesField, TimeoutField } from '../../form/run-fields.tsx';
import { AgentRights } from './agent-rights.tsx';
import type { EntryFormPart } from './entry-kind.ts';
import type { ProfileFields } from './profile-kind.ts';
import { VariablesField } from './variables-field.tsx';

/** The fields of a profile. */
export function ProfileForm(part: EntryFormPart<ProfileFields> & { readonly hasPractice: boolean }) {
  const { fields, errors, isEdit, onChange } = part;
  return (
    <SpaceBetween size="m">
      {!isEdit && (
        <FormField
          label="Name"
          description="Jobs refer to the profile by this name. It can't be changed later."
          constraintText={`Letters, digits, dots, underscores and hyphens; at most ${LIMITS.catalog.nameLength}.`}
          errorText={errors.name}
        >
          <Input
            autoFocus
            value={fields.name}
            placeholder="review"
            spellcheck={false}
            onChange={({ detail }) => onChange({ name: detail.value })}
          />
        </FormField>
      )}
      <ChoiceField
        label="Agent"
        error={errors.agent}
        value={fields.agent}
        choices={AGENTS.map((value) => ({ value, label: value }))}
        direction="horizontal"
        onChange={(agent) => onChange({ agent })}
      />
      <RunDefaults {...part} />
      <AgentRights {...part} />
      <FormField
        label="Arguments"
        description="Added to the arguments of the agent's CLI, one per line."
        stretch
        errorText={errors.args}
      >
        <Textarea
          rows={3}
          spellcheck={false}
          value={fields.args}
          placeholder="None"
          onChange={({ detail }) => onChange({ args: detail.value })}
        />
      </FormField>
      <VariablesField {...part} />
    </SpaceBetween>
  );
}

/** How jobs of the profile run unless they set it, and how many at once. */
function RunDefaults({ fields, errors, onChange }: EntryFormPart<ProfileFields>) {
  return (
    <ColumnLayout columns={2}>
      <ModelField
        description="Used if a job sets none."
        placeholder="The agent's default"
        value={fields.model}
        error={errors.model}
        onChange={(model) => onChange({ model })}
      />
      <TimeoutField
        description="Per attempt, if a job sets none."
        placeholder="None"
        value={fields.timeout}
        error={errors.timeout}
        onChange={(timeout) => onChange({ timeout })}
      />
      <RetriesField
        placeholder="0"
        value={fields.retries}
        error={errors.retries}
        onChange={(retries) => onChange({ retries })}
      />
      <FormField
        label="Concurrency"
        description="Maximum number of its jobs that run at the same time. Leave empty for no limit."
        errorText={errors.concurrency}
      >
        <Input
          inputMode="numeric"
          value={fields.concurrency}
          placeholder="No limit"
          onChange={({ detail }) => onChange({ concurrency: detail.value })}
        />
      </FormField>
    </ColumnLayout>
  );
}
