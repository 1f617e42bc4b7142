import Autosuggest from '@cloudscape-design/components/autosuggest';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { useQuery } from '@tanstack/react-query';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { environmentQuery, profilesQuery } from '../../form/catalog-choices.ts';
import type { FormPart } from './job-fields.ts';

/** The run settings of a job. Empty ones default to those of the profile or the deployment. */
export function SettingsFields({ fields, errors, onChange }: FormPart) {
  const profiles = useQuery(profilesQuery);
  const environment = useQuery(environmentQuery);
  const byDefault = profiles.data?.find(({ is_default }) => is_default);
  const profile = profiles.data?.find(({ name }) => name === fields.profile) ?? byDefault;
  const unit = environment.data?.service.timeout_unit;
  const fallback = { value: '', label: byDefault ? `${byDefault.name} (default)` : "The deployment's default" };
  const options = [
    fallback,
    ...(profiles.data ?? []).map(({ name, agent, model }) => ({
      value: name,
      label: name,
      description: model === null ? agent : `${agent}, ${model}`,
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
      <FormField label="Model" errorText={errors.model}>
        <Autosuggest
          value={fields.model}
          clearAriaLabel="Clear"
          placeholder={profile?.model ?? "The agent's default"}
          enteredTextLabel={(text) => `Use "${text}"`}
          empty="No known models"
          options={(environment.data?.models ?? []).map((value) => ({ value }))}
          onChange={({ detail }) => onChange({ model: detail.value })}
        />
      </FormField>
      <FormField label="Priority" description="Higher values run first." errorText={errors.priority}>
        <Input
          inputMode="numeric"
          value={fields.priority}
          placeholder="0"
          onChange={({ detail }) => onChange({ priority: detail.value })}
        />
      </FormField>
      <FormField
        label={unit === undefined ? 'Timeout' : `Timeout (${unit})`}
        description="Per attempt."
        errorText={errors.timeout}
      >
        <Input
          inputMode="decimal"
          value={fields.timeout}
          placeholder={profile?.timeout == null ? 'None' : String(profile.timeout)}
          onChange={({ detail }) => onChange({ timeout: detail.value })}
        />
      </FormField>
      <FormField
        label="Retries"
        description={`Additional attempts after a failure, ${LIMITS.retries.min} to ${LIMITS.retries.max}.`}
        errorText={errors.retries}
      >
        <Input
          inputMode="numeric"
          value={fields.retries}
          placeholder={String(profile?.retries ?? 0)}
          onChange={({ detail }) => onChange({ retries: detail.value })}
        />
      </FormField>
    </ColumnLayout>
  );
}
