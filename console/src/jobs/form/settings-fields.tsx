import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { useQuery } from '@tanstack/react-query';
import { profilesQuery } from '../../form/catalog-choices.ts';
import { ModelField, RetriesField, TimeoutField } from '../../form/run-fields.tsx';
import type { FormPart } from './job-fields.ts';

/** The run settings of a job. Empty ones default to those of the profile or the deployment. */
export function SettingsFields({ fields, errors, onChange }: FormPart) {
  const profiles = useQuery(profilesQuery);
  const byDefault = profiles.data?.find(({ is_default }) => is_default);
  const profile = profiles.data?.find(({ name }) => name === fields.profile) ?? byDefault;
  const fallback = { value: '', label: byDefault ? `${byDefault.name} (default)` : "The deployment's default" };
  const options = [
    fallback,
    ...(profiles.data ?? []).map(({ name, agent, model }) => ({
      value: name,
      label: name,
      description: describeProfile(agent, model),
    })),
  ];
  const given = fields.profile === '' ? undefined : { value: fields.profile, label: fields.profile };
  return (
    <ColumnLayout columns={3}>
      <FormField label="Profile" errorText={errors.profile ?? profiles.error?.message}>
        <Select
          selectedOption={options.find(({ value }) => value === fields.profile) ?? given ?? fallback}
          options={options}
          statusType={profiles.isPending ? 'loading' : 'finished'}
          loadingText="Loading the profiles"
          onChange={({ detail }) => onChange({ profile: detail.selectedOption.value ?? '' })}
        />
      </FormField>
      <ModelField
        placeholder={profile?.model ?? "The agent's default"}
        value={fields.model}
        error={errors.model}
        onChange={(model) => onChange({ model })}
      />
      <FormField label="Priority" description="Higher values run first." errorText={errors.priority}>
        <Input
          inputMode="numeric"
          value={fields.priority}
          placeholder="0"
          onChange={({ detail }) => onChange({ priority: detail.value })}
        />
      </FormField>
      <TimeoutField
        description="Per attempt."
        placeholder={profile?.timeout == null ? 'No limit' : String(profile.timeout)}
        value={fields.timeout}
        error={errors.timeout}
        onChange={(timeout) => onChange({ timeout })}
      />
      <RetriesField
        placeholder={String(profile?.retries ?? 0)}
        value={fields.retries}
        error={errors.retries}
        onChange={(retries) => onChange({ retries })}
      />
    </ColumnLayout>
  );
}

/** What a profile is for, by its agent. */
function describeProfile(agent: string, model: string | null): string {
  if (agent === 'shell') return 'Runs the prompt as a script';
  return `Runs the prompt with ${agent}${model === null ? '' : `, model ${model}`}`;
}
