import Autosuggest from '@cloudscape-design/components/autosuggest';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input, { type InputProps } from '@cloudscape-design/components/input';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useQuery } from '@tanstack/react-query';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { AGENTS, SANDBOXES } from '../../../../lib/contract/schemas/profile.ts';
import { environmentQuery } from '../../form/catalog-choices.ts';
import type { EntryFormPart } from './entry-kind.ts';
import type { ProfileFields } from './profile-kind.ts';
import { VariablesField } from './variables-field.tsx';

/** The fields of a profile. */
export function ProfileForm(part: EntryFormPart<ProfileFields> & { readonly hasPractice: boolean }) {
  const { fields, errors, isEdit, onChange, hasPractice } = part;
  const environment = useQuery(environmentQuery);
  const unit = environment.data?.service.timeout_unit;
  const input = (name: 'timeout' | 'retries' | 'concurrency', inputMode: NonNullable<InputProps['inputMode']>) => (
    <Input
      inputMode={inputMode}
      value={fields[name]}
      placeholder={PLACEHOLDERS[name]}
      onChange={({ detail }) => onChange({ [name]: detail.value })}
    />
  );
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
      <FormField label="Agent" errorText={errors.agent}>
        <RadioGroup
          value={fields.agent}
          direction="horizontal"
          items={AGENTS.map((value) => ({ value, label: value }))}
          onChange={({ detail }) => onChange({ agent: AGENTS.find((known) => known === detail.value) ?? fields.agent })}
        />
      </FormField>
      <ColumnLayout columns={2}>
        <FormField label="Model" description="Used if a job sets none." errorText={errors.model}>
          <Autosuggest
            value={fields.model}
            clearAriaLabel="Clear"
            placeholder="The agent's default"
            enteredTextLabel={(text) => `Use "${text}"`}
            empty="No known models"
            options={(environment.data?.models ?? []).map((value) => ({ value }))}
            onChange={({ detail }) => onChange({ model: detail.value })}
          />
        </FormField>
        <FormField
          label={unit === undefined ? 'Timeout' : `Timeout (${unit})`}
          description="Per attempt, if a job sets none."
          errorText={errors.timeout}
        >
          {input('timeout', 'decimal')}
        </FormField>
        <FormField
          label="Retries"
          description={`Additional attempts after a failure, ${LIMITS.retries.min} to ${LIMITS.retries.max}.`}
          errorText={errors.retries}
        >
          {input('retries', 'numeric')}
        </FormField>
        <FormField
          label="Concurrency"
          description="Maximum number of its jobs that run at the same time. Leave empty for no limit."
          errorText={errors.concurrency}
        >
          {input('concurrency', 'numeric')}
        </FormField>
        <FormField
          label="Sandbox"
          description="The sandbox of the agent's CLI. Deployed workers support only none: the container is the sandbox."
          errorText={errors.sandbox}
        >
          <RadioGroup
            value={fields.sandbox}
            items={SANDBOXES.toReversed().map((value) => ({ value, label: value }))}
            onChange={({ detail }) =>
              onChange({ sandbox: SANDBOXES.find((known) => known === detail.value) ?? fields.sandbox })
            }
          />
        </FormField>
        <FormField
          label="After an interruption"
          description="A usage limit, a missing account, or the loss or stop of the worker."
          errorText={errors.resume}
        >
          <RadioGroup
            value={fields.resume}
            items={[
              { value: 'auto', label: "Continue the agent's session" },
              { value: 'never', label: 'Start from the prompt' },
            ]}
            onChange={({ detail }) => onChange({ resume: detail.value === 'never' ? 'never' : 'auto' })}
          />
        </FormField>
        <FormField
          label="Tools"
          description="What the agent can do with its job: report progress, attach files, ask people, start jobs."
          errorText={errors.tools}
        >
          <RadioGroup
            value={fields.tools}
            items={[
              { value: 'on', label: 'On' },
              { value: 'off', label: 'Off' },
            ]}
            onChange={({ detail }) => onChange({ tools: detail.value === 'off' ? 'off' : 'on' })}
          />
        </FormField>
        <FormField
          label="Profiles of further jobs"
          description="What jobs of this profile may give to the jobs that they start, besides this profile. Separated by commas."
          errorText={errors.children}
        >
          <Input value={fields.children} onChange={({ detail }) => onChange({ children: detail.value })} />
        </FormField>
        <FormField
          label="Messages"
          description="Whether people can send the agent messages while it runs."
          errorText={errors.drive}
        >
          <RadioGroup
            value={fields.drive}
            items={[
              { value: 'auto', label: 'The agent takes messages' },
              { value: 'exec', label: 'It gets nothing but its prompt' },
            ]}
            onChange={({ detail }) => onChange({ drive: detail.value === 'exec' ? 'exec' : 'auto' })}
          />
        </FormField>
        {(hasPractice || fields.vendor === 'practice') && (
          <FormField label="Vendor" description="The API that the agent calls." errorText={errors.vendor}>
            <RadioGroup
              value={fields.vendor}
              items={[
                { value: 'own', label: "The agent's vendor" },
                { value: 'practice', label: "The local run's practice vendor" },
              ]}
              onChange={({ detail }) => onChange({ vendor: detail.value === 'practice' ? 'practice' : 'own' })}
            />
          </FormField>
        )}
      </ColumnLayout>
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

const PLACEHOLDERS = { timeout: 'None', retries: '0', concurrency: 'No limit' } as const;
